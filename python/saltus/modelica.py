"""Models from flat Modelica text."""

from __future__ import annotations

import os
import warnings
from typing import Any, List, Mapping, Optional, Tuple

from . import _core
from .errors import FileError, ModelError
from .model import Model


def read_modelica(source: Any, *, parameters: Optional[Mapping[str, float]] = None) -> Model:
    """Reads a model from a file, or from text: a source with a line break is text.

    `parameters` replace values of the text; all values that follow from them are recomputed.
    """
    text, name = _text_of(source)
    return _model_from(text, name, [(key, float(value)) for key, value in (parameters or {}).items()])


def _model_from(text: str, name: str, given: List[Tuple[str, float]]) -> Model:
    builder, model_name, description, experiment, listed, messages = _core.read_modelica(text, name, given)
    if builder is None:
        raise ModelError("\n".join(message.rstrip("\n") for message in messages))
    for message in messages:
        warnings.warn(message.rstrip("\n"), stacklevel=3)
    model = Model(model_name, _builder=builder)
    model.description = description
    model.experiment = experiment
    for key, value, unit, what, can_be_set in listed:
        model._parameters[key] = (value, unit, what)
        if can_be_set:
            model._settable.append(key)
    for key, _, node, size, *_ in _core.variables_of(builder):
        model._variable(key, node, () if size is None else (size,))
    return model


def _text_of(source: Any) -> Any:
    if isinstance(source, str) and "\n" in source:
        return source, "text"
    path = os.fspath(source)
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(), path
    except OSError as error:
        refused = FileError(f"'{path}': {error.strerror}")
        refused.path = path
        raise refused from None
