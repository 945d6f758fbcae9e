"""One figure squared, and figures of which each has an interval of its own: "The verdict" in docs/hypotheses.md."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from second_way.compare import Near

Ends = tuple[float, float]
LimitsAt = Callable[[float], tuple[Any, Any]]
_GRID = 4_001


def plain(end: Any) -> float | None:
    return end.value if isinstance(end, Near) else end


def whole_range(function: str) -> Ends:
    if function in ("accuracy", "skyline"):
        return 0.0, 1.0
    return (0.0, math.inf) if function in ("cost", "safety_multiple") else (-math.inf, math.inf)


def image(curve: Callable[[Any], Any], limits: tuple[Any, Any], function: str) -> tuple[float | None, float | None]:
    """The least and the most of a curve between these ends: by looking everywhere."""
    low, high = map(plain, limits)
    if low is None and high is None:
        return None, None
    least, most = whole_range(function)
    first, last = (least if low is None else low), (most if high is None else high)
    points = np.linspace(first, min(last, 1e6), _GRID)
    for _ in range(2):  # and once more, closer, around the least and the most
        step, reached = (points[-1] - points[0]) / _GRID, curve(points)
        around = [points[int(pick(reached))] + step * np.linspace(-2, 2, _GRID) for pick in (np.argmin, np.argmax)]
        points = np.clip(np.sort(np.concatenate([points, *around])), first, min(last, 1e6))
    reached = curve(points)
    endless = math.isinf(last)
    rises = endless and curve(2e6) > curve(1e6)
    return (None if endless and not rises else float(np.min(reached))), (None if rises else float(np.max(reached)))


def crossings(curve: Callable[[Any], Any], threshold: float, function: str, near: float) -> list[float]:
    """Where a curve is at the threshold, by halving between neighbours on different sides of it."""
    least, most = whole_range(function)
    first, last = max(least, -1e4), min(most, max(10 * abs(near) + 10, 1.0))
    points = np.linspace(first, last, _GRID) if most != 1.0 else np.linspace(0.0, 1.0, _GRID)
    values = curve(points) - threshold
    found = [float(point) for point, value in zip(points, values, strict=True) if abs(value) < 1e-12]
    for place in np.flatnonzero(values[:-1] * values[1:] < 0):
        one, other = float(points[place]), float(points[place + 1])
        rises = values[place] < 0
        for _ in range(80):
            middle = (one + other) / 2
            one, other = (middle, other) if (curve(middle) < threshold) == rises else (one, middle)
        found.append(one)
    return found


def boxed(left: str, figures: Mapping[str, LimitsAt], functions: Mapping[str, str]) -> LimitsAt:
    """Each at its share of the level; the least and the most of the whole within all of them."""

    def limits(alpha: float) -> tuple[float | None, float | None]:
        spans = {}
        for name, of in figures.items():
            low, high = map(plain, of(alpha / len(figures)))
            if low is None and high is None:
                return None, None
            least, most = whole_range(functions[name])
            spans[name] = (least if low is None else low, most if high is None else high)
        low, high = _span(ast.parse(left, mode="eval").body, spans)
        return (low if math.isfinite(low) else None), (high if math.isfinite(high) else None)

    return limits


def level_that_leaves_out(limits: LimitsAt, threshold: float) -> float | None:
    """The p that belongs to limits."""

    def beyond(alpha: float) -> bool:
        low, high = limits(alpha)
        return (low is not None and low > threshold) or (high is not None and high < threshold)

    if limits(0.05) == (None, None):
        return None
    if not beyond(1 - 1e-9):
        return 1.0
    low, high = 1e-12, 1 - 1e-9
    if beyond(low):
        return low
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return high


def _span(part: ast.AST, spans: Mapping[str, Ends]) -> Ends:
    if isinstance(part, ast.Name):
        return spans[part.id]
    if isinstance(part, ast.UnaryOp):
        low, high = _span(part.operand, spans)
        return (-high, -low) if isinstance(part.op, ast.USub) else (low, high)
    if not isinstance(part, ast.BinOp):
        number = float(ast.literal_eval(part))  # type: ignore[arg-type]
        return number, number
    (low, high), (least, most) = _span(part.left, spans), _span(part.right, spans)
    if isinstance(part.op, ast.Add):
        return low + least, high + most
    if isinstance(part.op, ast.Sub):
        return low - most, high - least
    if isinstance(part.op, ast.Div):
        if least <= 0 <= most:
            return -math.inf, math.inf
        least, most = 1 / most, 1 / least
    corners = [0.0 if not one or not other else one * other for one in (low, high) for other in (least, most)]
    return min(corners), max(corners)
