# What the topics of tools/topics share. A topic begins with
#   source "$(dirname "${BASH_SOURCE[0]}")/../topic.sh"
# and ends with `exit $status`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${SALTUS_JOBS:-$(nproc)}
python=(/usr/bin/python3 -B)
asked=("$@") # the items that were asked for; none: all of them
status=0
topic_scratch=$(mktemp -d)
trap 'rm -rf "$topic_scratch"' EXIT

quietly() { # shows what a command printed only if it fails
  if ! "$@" >"$topic_scratch/log" 2>&1 </dev/null; then
    cat "$topic_scratch/log"
    return 1
  fi
}
wanted() { # whether an item was asked for
  ((${#asked[@]} == 0)) || [[ " ${asked[*]} " == *" $1 "* ]]
}
build() { # build PRESET TARGET...
  local preset=$1
  shift
  quietly cmake --preset "$preset"
  quietly cmake --build --preset "$preset" -j "$jobs" --target "$@"
}
item() { # item NUMBER FIGURE BOUND ok|short
  printf '%s: %s (%s) %s\n' "$@"
  [[ $4 == ok ]] || status=1
}
tsan_tests() { # tsan_tests COMMAND...: a sanitized program, without randomised addresses where that may be switched off
  local fixed=(setarch "$(uname -m)" -R)
  "${fixed[@]}" true 2>/dev/null || fixed=()
  quietly "${fixed[@]}" "$@"
}
measure() { # measure PROGRAM ITEM...: those of its items that were asked for
  local program=$1 number
  shift
  for number in "$@"; do
    if wanted "$number"; then "$program" "$number" || status=1; fi
  done
}
passes() { # passes NUMBER WHAT COMMAND...: a program that judges itself and has nothing to skip; its last line is shown
  local number=$1 what=$2 verdict=ok
  shift 2
  "$@" >"$topic_scratch/log" 2>&1 </dev/null || verdict=short
  [[ $verdict == ok ]] || cat "$topic_scratch/log"
  item "$number" "$what: $(tail -n 1 "$topic_scratch/log")" "no failure" $verdict
}
tested() { # tested NUMBER WHAT COMMAND...: a program of unittest all of whose cases pass; one that was skipped is short
  local number=$1 what=$2 verdict=ok
  shift 2
  "$@" >"$topic_scratch/log" 2>&1 </dev/null || verdict=short
  grep -q "^OK$" "$topic_scratch/log" || verdict=short
  [[ $verdict == ok ]] || cat "$topic_scratch/log"
  item "$number" "$what: $(grep -E '^Ran |^[0-9]+ (kills|restarts) ' "$topic_scratch/log" | paste -sd ';' | sed 's/;/; /g')" \
    "all pass, none skipped" $verdict
}
complaints() { # complaints NUMBER NAME...: tests named after complaints of users of other tools, each with a naive twin
  local number=$1 verdict=ok n=0 controls=0 name listed tests=build/release/tests/saltus_test_regression
  shift
  build release saltus_test_regression
  for name in "$@"; do
    listed=$("$tests" --gtest_list_tests --gtest_filter="Complaints$name.*")
    grep -q '^  .*Naive' <<<"$listed" && controls=$((controls + 1))
    grep '^  ' <<<"$listed" | grep -qv 'Naive' && n=$((n + 1))
    quietly "$tests" --gtest_filter="Complaints$name.*" || verdict=short
  done
  ((n == $# && controls == $#)) || verdict=short
  item "$number" "$n complaints of users, $controls with naive treatments that fail" "$# of each" $verdict
}
