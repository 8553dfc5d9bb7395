"""Orders of a sweep for its workers, in this or in other processes, and how workers execute them."""

from __future__ import annotations

import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from . import _core
from ._arguments import flat_options
from ._explain import explained
from .designs import Design
from .errors import ModelError, OptionError
from .model import Model
from .modelica import _model_from, _text_of


class _Text:
    """A model as text: read where it is needed, and again for parameters that decide more than numbers."""

    def __init__(self, path: Any) -> None:
        self.text, self.path = _text_of(path)

    def __call__(self) -> Model:
        return _model_from(self.text, self.path, [])


def source_of(model: Any, executor: Any) -> Any:
    """Returns a model, or an object that makes one and can be sent to other processes."""
    if isinstance(model, Model):
        if executor is not None and not isinstance(executor, ThreadPoolExecutor):
            raise TypeError(
                f"sweep: model '{model.name}' cannot be sent to the workers of {type(executor).__name__}: give a "
                "function that makes it, def make_model(): ..., sweep(make_model, ...), or the path of a .mo file"
            )
        return model
    if isinstance(model, (str, os.PathLike)):
        return _Text(model)
    if callable(model):
        if isinstance(executor, ProcessPoolExecutor):
            _check_pickled(model)
        return model
    raise TypeError(f"sweep: {model!r} is neither a Model, nor the path of a .mo file, nor a function that makes one")


def _check_pickled(function: Callable[[], Model]) -> None:
    try:
        pickle.dumps(function)
    except Exception as error:
        raise TypeError(
            f"sweep: {function!r} cannot be sent to other processes ({error}): write it as a function of a module, "
            "not inside another one"
        ) from None


class Order:
    """Everything that workers need. In another process it makes its plan again, once for all chunks."""

    def __init__(
        self, source: Any, design: Design, kept: Dict[str, List[Any]], options: Mapping[str, Any], name: str
    ) -> None:
        self.source = source
        self.design = design
        self.kept = kept
        self.options = flat_options(options)
        self.name = name
        self.places: Dict[str, str] = {}
        self.has_functions = False
        self.fingerprint: Optional[int] = None
        self._plan: Any = self._make()
        self.fingerprint = self._plan.fingerprint()

    def explained(self) -> Any:
        return explained(self.places)

    def plan(self) -> Any:
        if self._plan is None:
            self._plan = _plan_of(self)
        return self._plan

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_plan": None}

    def _make(self) -> Any:
        model = self.source if isinstance(self.source, Model) else self.source()
        if not isinstance(model, Model):
            raise TypeError(f"sweep: {self.source!r} made {model!r}, which is not a Model")
        self.places = model._places
        self.has_functions = None in model._inputs.values()
        is_text = isinstance(self.source, _Text)
        text = (self.source.text, self.source.path, model._settable) if is_text else None
        identity = repr((self.name, sorted(model._inputs.items(), key=str), self.design.identity(), self.kept))
        with model._explained():
            return _core.SweepPlan(
                model._core,
                text,
                self._run_options(model if is_text else None),
                self.design.listed(),
                self.design.samples,
                self.kept,
                identity,
            )

    def _run_options(self, read: Optional[Model]) -> Dict[str, Any]:
        """Returns the options of the runs; given ones replace those of the text."""
        out: Dict[str, Any] = {}
        experiment = read.experiment if read is not None else {}
        for key, fields in (("start_time", ["t_begin"]), ("stop_time", ["t_end"]), ("tolerance", ["rtol", "atol"])):
            if key in experiment:
                out.update({field: experiment[key] for field in fields})
        out.update(self.options)
        if "t_end" not in out:
            raise OptionError("t_end: it is missing; give the time at which runs end")
        if self.kept["slope"]:
            wanted = [parameter for _, parameter in self.kept["slope"]]
            out["sensitivities"] = list(dict.fromkeys([*out.get("sensitivities", []), *wanted]))
        return out


# ---- in a worker ---------------------------------------------------------------------------------------------------

_plans: Dict[Optional[int], Any] = {}  # the most recent ones that this process made
_plans_lock = threading.Lock()
_here = threading.local()


def _plan_of(order: Order) -> Any:
    with _plans_lock:
        if order.fingerprint not in _plans:
            made = order._make()
            if made.fingerprint() != order.fingerprint:
                raise ModelError(
                    f"sweep: {order.source!r} made another model in a worker than where the sweep was started: a model "
                    "must not depend on where or when it is made"
                )
            while len(_plans) >= 4:
                del _plans[next(iter(_plans))]
            _plans[order.fingerprint] = made
        return _plans[order.fingerprint]


def work_on(order: Order, folder: str, token: str, runs: List[int]) -> Tuple[int, int]:
    """Does these runs; returns how many are done, and how many of them failed. A worker keeps one segment per sweep."""
    if getattr(_here, "token", None) != token:
        _here.worker = _core.SweepWorker(order.plan(), folder)
        _here.token = token
    return _here.worker.work_on(runs)
