"""Counters and histograms in Prometheus' text format, just enough for five metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Labels = Mapping[str, str]


class Counter:
    def __init__(self, name: str, help: str, *, starts_at_zero: bool = False) -> None:
        self._name = name
        self._head = _head(name, help, "counter")
        self._values: dict[str, int] = {"": 0} if starts_at_zero else {}

    def add(self, **labels: str) -> None:
        series = _series(labels)
        self._values[series] = self._values.get(series, 0) + 1

    def render(self) -> str:
        return self._head + "".join(f"{self._name}{_braced(of)} {value}\n" for of, value in self._values.items())


class Histogram:
    def __init__(self, name: str, help: str, bounds: Sequence[float]) -> None:
        self._name = name
        self._head = _head(name, help, "histogram")
        self._bounds = bounds
        self._values: dict[str, list[float]] = {}
        self._sums: dict[str, float] = {}

    def observe(self, value: float, **labels: str) -> None:
        series = _series(labels)
        # One count for each bound, and the last for all.
        counts = self._values.setdefault(series, [0] * (len(self._bounds) + 1))
        for i, bound in enumerate(self._bounds):
            counts[i] += value <= bound
        counts[-1] += 1
        self._sums[series] = self._sums.get(series, 0.0) + value

    def render(self) -> str:
        return self._head + "".join(self._render_series(series) for series in self._values)

    def _render_series(self, series: str) -> str:
        counts = self._values[series]
        bounds = [f"{bound:g}" for bound in self._bounds] + ["+Inf"]
        prefix = f"{series}," if series else ""
        lines = [
            f'{self._name}_bucket{{{prefix}le="{le}"}} {count:g}\n' for le, count in zip(bounds, counts, strict=True)
        ]
        total = f"{self._name}_sum{_braced(series)} {self._sums[series]!r}\n"
        return "".join(lines) + total + f"{self._name}_count{_braced(series)} {counts[-1]:g}\n"


def _head(name: str, help: str, kind: str) -> str:
    return f"# HELP {name} {help}\n# TYPE {name} {kind}\n"


def _braced(series: str) -> str:
    return f"{{{series}}}" if series else ""


def _series(labels: Labels) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
