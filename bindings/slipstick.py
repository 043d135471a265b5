"""Slipstick from Python: robots, worlds, contacts, dynamics, contact solvers, and environments for learning.

One file over libslipstick.so by ctypes; needs the standard library alone. Where NumPy is installed, arrays are NumPy's
and share the library's memory, so that nothing is copied; else they are ctypes arrays, which index like lists.

    import slipstick
    world = slipstick.World("models/solo12.urdf")     # a robot stands on level ground; or a scene's .xml, or MJCF
    world.step(1000)
    print(world.time, world.q[2], world.contacts())

SI units throughout; q and v as docs/conventions.md says: quaternions are x y z w, a floating base's velocity is in its
own axes. Errors of the library are slipstick.Error with its message. The library is looked for as SLIPSTICK_LIBRARY (a
file), beside this file, in the build directory of a source tree, and where the system keeps libraries.
"""
from __future__ import annotations

import ctypes
import ctypes.util
import glob
import math
import os
import random
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

try:
    import numpy as _np
except ImportError:  # everything works without
    _np = None

__all__ = ["Error", "World", "Worlds", "Contact", "LinkState", "Linearization", "StepDerivatives", "Solution", "Box",
           "Env", "QuadrupedEnv", "ArmEnv", "HumanoidEnv", "VectorEnv", "models", "solve", "solvers", "version"]

Array = Any
"""numpy.ndarray where NumPy is installed, else a ctypes array."""


class Error(RuntimeError):
    """What the library refused, in its own words: file, line, column, value and what was expected."""


# ---- the library -----------------------------------------------------------------------------------------------------


def _find() -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    names = [os.environ.get("SLIPSTICK_LIBRARY", ""), os.path.join(here, "libslipstick.so"),
             os.path.join(here, "..", "libslipstick.so")]
    built = glob.glob(os.path.join(here, "..", "build", "*", "libslipstick.so"))  # of a source tree: the newest
    names += sorted(built, key=os.path.getmtime, reverse=True)
    for name in names:
        if name and os.path.exists(name):
            return name
    found = ctypes.util.find_library("slipstick")
    if not found:
        raise ImportError("libslipstick.so was not found: build it by 'make shared' and set SLIPSTICK_LIBRARY to its "
                          "path")
    return found


_lib = ctypes.CDLL(_find())
_lib.slip_flat_real_bytes.restype = ctypes.c_int
_real = ctypes.c_double if _lib.slip_flat_real_bytes() == 8 else ctypes.c_float
_reals = ctypes.POINTER(_real)
_int, _double, _text, _handle, _size = ctypes.c_int, ctypes.c_double, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
_ints = ctypes.POINTER(ctypes.c_int)


def _declare(name: str, result: Any, *arguments: Any) -> None:
    function = getattr(_lib, "slip_flat_" + name)
    function.restype = result
    function.argtypes = list(arguments)


_declare("version", _text)
_declare("open", _handle, _text, _text, _size, _int, _double, _text, _text, _text, _size)
_declare("close", None, _handle)
_declare("error", _text, _handle)
_declare("count", ctypes.c_long, _handle, _int)
_declare("name", _text, _handle, _int, _int)
_declare("link", _int, _handle, _text)
_declare("joint", _int, _handle, _text, _ints)
_declare("array", _reals, _handle, _int, _ints)
_declare("get", _double, _handle, _int)
_declare("set_dt", _int, _handle, _double)
_declare("set_solver", _int, _handle, _text)
_declare("set_integrator", _int, _handle, _text)
_declare("step", _int, _handle, _int)
_declare("update", _int, _handle)
_declare("reset", None, _handle)
_declare("save", None, _handle, ctypes.c_void_p)
_declare("restore", _int, _handle, ctypes.c_void_p, _size)
_declare("drive", _int, _handle, _int, _reals, _int)
_declare("targets", None, _handle, _reals)
_declare("run", _int, ctypes.POINTER(_handle), _int, _int, _reals)


class _Frame(ctypes.Structure):
    _fields_ = [("nact", _int), ("skip", _int), ("iv", _ints), ("home", _reals), ("reach", _double)]


_declare("act", _int, ctypes.POINTER(_handle), _int, _int, ctypes.POINTER(_Frame), _reals, _reals)
_declare("contact", _int, _handle, _int, _ints, _reals)
_declare("link_state", _int, _handle, _int, _reals, _reals, _reals)
_declare("imu", _int, _handle, _int, _reals, _reals)
_declare("dynamics", _int, _handle, _int, _reals, _reals, _reals, _reals)
_declare("pose", _int, _handle, _reals, _int, _reals)
_declare("jacobian", _int, _handle, _reals, _int, _int, _reals)
_declare("batch", _int, _handle, _int, _int, _reals, _reals, _reals, _reals)
_declare("batch_pose", _int, _handle, _int, _reals, _int, _reals)
_declare("derivatives", _int, _handle, _int, _reals, _reals, _reals, _reals, _reals, _reals)
_declare("step_derivatives", _int, _handle, _int, _double, _ints)
_declare("step_matrix", None, _handle, _reals, _ints, _ints)
_declare("linearize", _int, _handle, _double, _double, _reals, _reals, _reals)
_declare("solve", _int, _text, _size, _text, _double, _reals, _int, _ints, ctypes.POINTER(_double), _text, _size)
_declare("solver", _text, _int)

_NQ, _NV, _BODIES, _LINKS, _JOINTS, _CONTACTS, _COLLIDERS, _ITERATIONS, _SNAPSHOT = range(9)
_Q, _V, _TAU, _WRENCH, _LOWER, _UPPER, _EFFORT = range(7)
_TIME, _DT, _MASS, _KINETIC, _POTENTIAL, _RESIDUAL, _PENETRATION, _IS_FREE = range(8)
_BY = ("state", "tau", "drives", "wrench", "material", "density")
_MASS_MATRIX, _MASS_INVERSE, _BIAS, _GRAVITY, _RNEA, _ABA, _INTEGRATE, _DIFFERENCE, _CENTRE, _NEUTRAL = range(10)


def version() -> str:
    """The library's version, such as "0.1.0"."""
    return _lib.slip_flat_version().decode()


def _view(pointer: Any, n: int, owner: Any) -> Array:
    """The library's own memory as an array, without a copy; it keeps its owner."""
    array = ctypes.cast(pointer, ctypes.POINTER(_real * n)).contents
    array._owner = owner
    return _np.ctypeslib.as_array(array) if _np is not None else array


def _new(n: int, rows: int = 0) -> Tuple[Array, Any]:
    """A new array of n numbers (rows > 0: of so many rows), and a pointer to it."""
    array = (_real * n)()
    pointer = ctypes.cast(array, _reals)
    if _np is None:
        return array, pointer
    view = _np.ctypeslib.as_array(array)
    return (view.reshape(rows, -1) if rows else view), pointer


def _given(x: Any, n: int, what: str) -> Any:
    """A pointer to n numbers: those of the caller's array where it has the right type, else a copy."""
    if x is None:
        raise ValueError(what + " is needed")
    if isinstance(x, ctypes.Array) and x._type_ is _real and len(x) == n:
        return ctypes.cast(x, _reals)
    if _np is not None and isinstance(x, _np.ndarray):
        if x.size != n:
            raise ValueError(f"{what} has {x.size} numbers, expected {n}")
        flat = _np.ascontiguousarray(x, dtype=_np.float64 if _real is ctypes.c_double else _np.float32)
        pointer = flat.ctypes.data_as(_reals)
        pointer._keep = flat
        return pointer
    values = [float(value) for value in x]
    if len(values) != n:
        raise ValueError(f"{what} has {len(values)} numbers, expected {n}")
    return ctypes.cast((_real * n)(*values), _reals)


def _rows(x: Any, width: int, what: str) -> int:
    """How many rows of `width` numbers x has: an array, a flat sequence, or a sequence of rows."""
    n = x.size if _np is not None and isinstance(x, _np.ndarray) else sum(
        len(row) if hasattr(row, "__len__") else 1 for row in x)
    if n % width if width else n:
        raise ValueError(f"{what} has {n} numbers, expected rows of {width}")
    return n // width if width else 0


def _given_rows(x: Any, n: int, width: int, what: str) -> Any:
    """A pointer to n rows; an array of the right type is not copied."""
    if not isinstance(x, ctypes.Array) and not (_np is not None and isinstance(x, _np.ndarray)):
        x = [value for row in x for value in (row if hasattr(row, "__len__") else (row,))]
    return _given(x, n * width, what)


# ---- worlds ----------------------------------------------------------------------------------------------------------


class Contact(NamedTuple):
    """One contact of the last step."""

    link_a: str
    link_b: str
    point: Tuple[float, float, float]
    """[m], world axes"""
    normal: Tuple[float, float, float]
    """from a to b"""
    force: Tuple[float, float, float]
    """on b, world axes [N]"""
    gap: float
    """at the start of the step, negative where they overlap [m]"""


class LinkState(NamedTuple):
    """A link as of the last step, or of update(): world axes."""

    rotation: Tuple[float, ...]
    """nine numbers, row by row"""
    position: Tuple[float, float, float]
    velocity: Tuple[float, ...]
    """linear of its origin, then angular"""
    contact_wrench: Tuple[float, ...]
    """force, then moment about its origin"""


class Linearization(NamedTuple):
    """x+ = A x + B u of a step, for small changes; x: tangent vectors of q, then v."""

    A: Array
    """[2 nv, 2 nv] (flat without NumPy, as the others)"""
    B: Array
    """by tau, [2 nv, nv]"""
    B_q_ref: Array
    """by the targets of drives, [2 nv, nv]"""
    exists: bool
    """False: a contact is at the border of two modes, and this is the derivative to one side"""


class StepDerivatives(NamedTuple):
    """Derivatives of a step's result by its inputs (docs/derivatives.md)."""

    D: Array
    """[rows, columns] (flat without NumPy). Rows: nv of q+ (tangent vectors), nv of v+, 3 impulses a contact (t1, t2,
    n), one a limit"""
    columns: Dict[str, Tuple[int, int]]
    """where each input's columns begin, and their number"""
    ncontacts: int
    limits: List[int]
    """coordinates in v of the limits"""
    exists: bool
    """False: there is none, or only one to one side"""
    unique: bool
    """False: contacts share their load in more ways than one; rows of impulses are one of them"""
    border: List[int]
    """what is at the border of two modes: contacts, then limits, then drives at their effort"""


class _Owner:
    """Owns a handle; arrays over its memory refer to it, so that they may outlive their World."""

    def __init__(self, handle: int) -> None:
        self.handle: Optional[int] = handle

    def close(self) -> None:
        handle, self.handle = self.handle, None
        if handle:
            _lib.slip_flat_close(handle)

    __del__ = close


class World:
    """A simulated world: a scene, or a robot's file (URDF or MJCF), which then stands on level ground.

    path: the file; or text, with path for its name and the directory of the files it names.
    base: "auto", "free" or "fixed", of a robot's file. repair: armature of joints that move nothing that has inertia, 0
    for none. packages: directories that hold the packages of package:// in a robot's meshes.

    q, v, tau and wrench are the world's own memory: read them, or write them between steps.
    """

    def __init__(self, path: str, text: Optional[str] = None, base: str = "auto", repair: float = 0.01,
                 packages: Iterable[str] = ()) -> None:
        size = 1 << 16
        warnings, why = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)
        if base not in ("auto", "free", "fixed"):
            raise ValueError(f"base '{base}', expected auto, free or fixed")
        data = None if text is None else text.encode()
        self._h = _lib.slip_flat_open(os.fspath(path).encode(), data, len(data or b""),
                                      ("auto", "free", "fixed").index(base), repair,
                                      "\n".join(packages).encode() or None, warnings, why, size)
        if not self._h:
            raise Error(why.value.decode(errors="replace") or "out of memory")
        self._owner = _Owner(self._h)
        self.warnings: List[str] = warnings.value.decode(errors="replace").splitlines()
        """What was repaired, ignored or looks wrong."""
        self.nq: int = self._count(_NQ)
        self.nv: int = self._count(_NV)
        self.q: Array = self._array(_Q)
        self.v: Array = self._array(_V)
        self.tau: Array = self._array(_TAU)
        self.wrench: Array = self._array(_WRENCH)
        self.lower: Array = self._array(_LOWER)
        self.upper: Array = self._array(_UPPER)
        self.effort: Array = self._array(_EFFORT)
        self.links: List[str] = [_lib.slip_flat_name(self._h, _LINKS, i).decode() for i in range(self._count(_LINKS))]
        self.joints: List[str] = [_lib.slip_flat_name(self._h, _JOINTS, i).decode()
                                  for i in range(self._count(_JOINTS))]

    def close(self) -> None:
        """Gives the memory back at once; the world and its arrays must not be used any more. Without it the memory
        lasts as long as the world or one of its arrays."""
        self._h = None
        self._owner.close()

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def _count(self, what: int) -> int:
        return int(_lib.slip_flat_count(self._h, what))

    def _array(self, what: int) -> Array:
        n = ctypes.c_int()
        pointer = _lib.slip_flat_array(self._h, what, ctypes.byref(n))
        return _view(pointer, n.value, self._owner)

    def _check(self, status: int) -> int:
        if status < 0:
            raise Error(_lib.slip_flat_error(self._h).decode(errors="replace"))
        return status

    # -- steps

    def step(self, n: int = 1) -> int:
        """n steps. 0, or a positive number where a solve missed its tolerance (the world has stepped); errors raise."""
        return self._check(_lib.slip_flat_step(self._h, n))

    def update(self) -> None:
        """Poses, velocities and contacts of the present state; a step leaves those of its start."""
        self._check(_lib.slip_flat_update(self._h))

    def reset(self) -> None:
        """Back to the scene's start: state, drives, loops; forces are cleared, time goes on."""
        _lib.slip_flat_reset(self._h)

    def snapshot(self) -> bytes:
        """All that changes, as bytes; restore() continues bit for bit."""
        buffer = ctypes.create_string_buffer(self._count(_SNAPSHOT))
        _lib.slip_flat_save(self._h, buffer)
        return buffer.raw

    def restore(self, snapshot: bytes) -> None:
        """The state of a snapshot() of this world, or of one of the same scene."""
        self._check(_lib.slip_flat_restore(self._h, snapshot, len(snapshot)))

    @property
    def time(self) -> float:
        """[s] since the world was made."""
        return _lib.slip_flat_get(self._h, _TIME)

    @property
    def dt(self) -> float:
        """The time step [s]; may be set."""
        return _lib.slip_flat_get(self._h, _DT)

    @dt.setter
    def dt(self, seconds: float) -> None:
        self._check(_lib.slip_flat_set_dt(self._h, seconds))

    def set_solver(self, name: str) -> None:
        """Another contact solver; solvers() has the names."""
        self._check(_lib.slip_flat_set_solver(self._h, name.encode()))

    def set_integrator(self, name: str) -> None:
        """midpoint (the usual one), euler or fourth."""
        self._check(_lib.slip_flat_set_integrator(self._h, name.encode()))

    # -- drives

    def drive(self, joint: str, **fields: float) -> Dict[str, float]:
        """A joint's drive, after changing the fields given: kp, kd, q_ref, v_ref, feed, effort."""
        names = ("kp", "kd", "q_ref", "v_ref", "feed", "effort")
        iv = self.place(joint)[2]
        x = (_real * 6)()
        self._check(_lib.slip_flat_drive(self._h, iv, x, 0))
        for name, value in fields.items():
            if name not in names:
                raise ValueError(f"a drive has no '{name}', expected one of {', '.join(names)}")
            x[names.index(name)] = value
        if fields:
            self._check(_lib.slip_flat_drive(self._h, iv, x, 1))
        return dict(zip(names, x))

    def set_targets(self, q_ref: Sequence[float]) -> None:
        """The positions that all drives hold, [nv]."""
        _lib.slip_flat_targets(self._h, _given(q_ref, self.nv, "q_ref"))

    # -- looking

    def place(self, joint: str) -> Tuple[int, int, int, int]:
        """Where a joint is: its first coordinate in q and their number, and the same in v."""
        place = (ctypes.c_int * 4)()
        if _lib.slip_flat_joint(self._h, joint.encode(), place) < 0:
            raise KeyError(f"there is no joint '{joint}'")
        return tuple(place)  # type: ignore[return-value]

    def _link(self, link: str) -> int:
        i = _lib.slip_flat_link(self._h, link.encode())
        if i < 0:
            raise KeyError(f"there is no link '{link}'")
        return i

    def contacts(self) -> List[Contact]:
        """The contacts of the last step."""
        links, x, out = (ctypes.c_int * 2)(), (_real * 10)(), []
        for i in range(self._count(_CONTACTS)):
            _lib.slip_flat_contact(self._h, i, links, x)
            a, b = (self.links[k] if k >= 0 else "world" for k in links)
            out.append(Contact(a, b, tuple(x[0:3]), tuple(x[3:6]), tuple(x[6:9]), x[9]))
        return out

    @property
    def ncontacts(self) -> int:
        """Contacts of the last step."""
        return self._count(_CONTACTS)

    def link(self, name: str) -> LinkState:
        """Pose, velocity and contact forces of a link."""
        pose, velocity, wrench = (_real * 12)(), (_real * 6)(), (_real * 6)()
        self._check(_lib.slip_flat_link_state(self._h, self._link(name), pose, velocity, wrench))
        return LinkState(tuple(pose[0:9]), tuple(pose[9:12]), tuple(velocity), tuple(wrench))

    def imu(self, link: str) -> Tuple[Tuple[float, ...], Tuple[float, ...]]:
        """Specific force [m/s^2] and angular velocity [rad/s] at a link's origin, its own axes, in the last step."""
        accel, gyro = (_real * 3)(), (_real * 3)()
        self._check(_lib.slip_flat_imu(self._h, self._link(link), accel, gyro))
        return tuple(accel), tuple(gyro)

    def energy(self) -> Tuple[float, float]:
        """Kinetic and potential energy [J]."""
        return _lib.slip_flat_get(self._h, _KINETIC), _lib.slip_flat_get(self._h, _POTENTIAL)

    @property
    def mass(self) -> float:
        """Of all that moves [kg]."""
        return _lib.slip_flat_get(self._h, _MASS)

    @property
    def residual(self) -> float:
        """Of the contact problem of the last step, by the judge [m/s or N s, the largest]."""
        return _lib.slip_flat_get(self._h, _RESIDUAL)

    @property
    def iterations(self) -> int:
        """Of the contact solver in the last step."""
        return self._count(_ITERATIONS)

    @property
    def penetration(self) -> float:
        """Deepest overlap at the start of the last step [m]."""
        return _lib.slip_flat_get(self._h, _PENETRATION)

    # -- dynamics at any state, apart from the world's own

    def _dynamics(self, what: int, n: int, q: Any, v: Any = None, x: Any = None, rows: int = 0) -> Array:
        out, pointer = _new(n, rows)
        self._check(_lib.slip_flat_dynamics(self._h, what, q, v, x, pointer))
        return out

    def mass_matrix(self, q: Optional[Sequence[float]] = None) -> Array:
        """M(q), [nv, nv] (flat without NumPy); q of the world where none is given, as in all that follow."""
        return self._dynamics(_MASS_MATRIX, self.nv * self.nv, self._q(q), rows=self.nv)

    def mass_matrix_inverse(self, q: Optional[Sequence[float]] = None) -> Array:
        """The inverse of M(q), [nv, nv]."""
        return self._dynamics(_MASS_INVERSE, self.nv * self.nv, self._q(q), rows=self.nv)

    def bias(self, q: Optional[Sequence[float]] = None, v: Optional[Sequence[float]] = None) -> Array:
        """Coriolis, centrifugal and gravity forces, [nv]."""
        return self._dynamics(_BIAS, self.nv, self._q(q), self._v(v))

    def gravity(self, q: Optional[Sequence[float]] = None) -> Array:
        """Forces that hold against gravity, [nv]."""
        return self._dynamics(_GRAVITY, self.nv, self._q(q))

    def inverse_dynamics(self, q: Sequence[float], v: Sequence[float], a: Sequence[float]) -> Array:
        """tau = M a + bias, [nv] (RNEA); without contacts."""
        return self._dynamics(_RNEA, self.nv, self._q(q), self._v(v), _given(a, self.nv, "a"))

    def forward_dynamics(self, q: Sequence[float], v: Sequence[float], tau: Sequence[float]) -> Array:
        """a = M^-1 (tau - bias), [nv] (ABA); without contacts."""
        return self._dynamics(_ABA, self.nv, self._q(q), self._v(v), _given(tau, self.nv, "tau"))

    def centre_of_mass(self, q: Optional[Sequence[float]] = None) -> Array:
        """[m], world axes."""
        return self._dynamics(_CENTRE, 3, self._q(q))

    def integrate(self, q: Sequence[float], v: Sequence[float]) -> Array:
        """q moved by the twist v for one second, [nq]: exact for rotations."""
        return self._dynamics(_INTEGRATE, self.nq, self._q(q), None, _given(v, self.nv, "v"))

    def difference(self, q0: Sequence[float], q1: Sequence[float]) -> Array:
        """v that moves q0 to q1 in one second, [nv]."""
        return self._dynamics(_DIFFERENCE, self.nv, self._q(q0), None, _given(q1, self.nq, "q1"))

    def neutral(self) -> Array:
        """q of rest: zeros and identity quaternions, [nq]."""
        return self._dynamics(_NEUTRAL, self.nq, None)

    def pose(self, link: str, q: Optional[Sequence[float]] = None) -> Tuple[Tuple[float, ...], Tuple[float, ...]]:
        """Rotation, row by row, and position of a link at q, world axes."""
        x = (_real * 12)()
        self._check(_lib.slip_flat_pose(self._h, self._q(q), self._link(link), x))
        return tuple(x[0:9]), tuple(x[9:12])

    def jacobian(self, link: str, q: Optional[Sequence[float]] = None, frame: str = "aligned") -> Array:
        """[6, nv]: linear, then angular velocity of a link per unit v. frame: "world" (the link's point at the world's
        origin), "local" (its origin, its own axes) or "aligned" (its origin, world axes)."""
        if frame not in ("world", "local", "aligned"):
            raise ValueError(f"frame '{frame}', expected world, local or aligned")
        out, pointer = _new(6 * self.nv, 6)
        self._check(_lib.slip_flat_jacobian(self._h, self._q(q), self._link(link),
                                            ("world", "local", "aligned").index(frame), pointer))
        return out

    # -- the same at many states, one after the other: several by one instruction

    def _batch(self, what: int, q: Any, v: Any, x: Any, each: int) -> Array:
        n = _rows(q, self.nq, "q")
        out, pointer = _new(n * each, n)
        none = None if v is None else _given_rows(v, n, self.nv, "v")
        last = None if x is None else _given_rows(x, n, self.nv, "a or tau")
        self._check(_lib.slip_flat_batch(self._h, what, n, _given_rows(q, n, self.nq, "q"), none, last, pointer))
        return out

    def batch_forward_dynamics(self, q: Any, v: Any, tau: Any) -> Array:
        """Accelerations of n states, [n, nv] (flat without NumPy): q [n, nq], v and tau [n, nv], as arrays or rows."""
        return self._batch(_ABA, q, v, tau, self.nv)

    def batch_inverse_dynamics(self, q: Any, v: Any, a: Any) -> Array:
        """tau of n states, [n, nv]."""
        return self._batch(_RNEA, q, v, a, self.nv)

    def batch_mass_matrix(self, q: Any) -> Array:
        """M of n states, [n, nv * nv] (flat without NumPy)."""
        return self._batch(_MASS_MATRIX, q, None, None, self.nv * self.nv)

    def batch_pose(self, link: str, q: Any) -> Array:
        """A link's pose in n states, [n, 12]: its rotation, row by row, then its position."""
        n = _rows(q, self.nq, "q")
        out, pointer = _new(12 * n, n)
        self._check(_lib.slip_flat_batch_pose(self._h, n, _given_rows(q, n, self.nq, "q"), self._link(link), pointer))
        return out

    # -- derivatives: changes of q are tangent vectors, [nv], as integrate() takes them

    def _derivatives(self, what: int, q: Any, v: Any, x: Any) -> Tuple[Array, Array, Array]:
        three = [_new(self.nv * self.nv, self.nv) for _ in range(3)]
        self._check(_lib.slip_flat_derivatives(self._h, what, self._q(q), self._v(v), _given(x, self.nv, "a or tau"),
                                               *(pointer for _, pointer in three)))
        return three[0][0], three[1][0], three[2][0]

    def inverse_dynamics_derivatives(self, q: Any, v: Any, a: Any) -> Tuple[Array, Array, Array]:
        """Of tau by q, v and a (the mass matrix), [nv, nv] each (flat without NumPy)."""
        return self._derivatives(_RNEA, q, v, a)

    def forward_dynamics_derivatives(self, q: Any, v: Any, tau: Any) -> Tuple[Array, Array, Array]:
        """Of the acceleration by q, v and tau (the inverse of the mass matrix), [nv, nv] each."""
        return self._derivatives(_ABA, q, v, tau)

    def linearize(self, eps: float = 1e-6, tol: float = 0.0) -> Linearization:
        """The next step as x+ = A x + B u about the present state and inputs, contacts included; the world stays where
        it is. The step is one of the integrator euler. eps: how near (relative) a contact may be to another mode. tol:
        of the contact problem, 0: 1e-10, in float 1e-6."""
        n = self.nv
        (A, a), (B, b), (C, c) = _new(4 * n * n, 2 * n), _new(2 * n * n, 2 * n), _new(2 * n * n, 2 * n)
        tol = tol or (1e-10 if _real is ctypes.c_double else 1e-6)
        return Linearization(A, B, C, self._check(_lib.slip_flat_linearize(self._h, eps, tol, a, b, c)) == 0)

    def step_derivatives(self, by: Iterable[str] = ("state", "tau"), eps: float = 1e-6) -> StepDerivatives:
        """Takes one step and differentiates it, contacts included, by "state", "tau", "drives", "wrench", "material"
        and "density". Only with set_integrator("euler"); what else is not differentiated is refused."""
        inputs = 0
        for name in [by] if isinstance(by, str) else by:
            if name not in _BY:
                raise ValueError(f"'{name}', expected one of {', '.join(_BY)}")
            inputs |= 1 << _BY.index(name)
        shape = (ctypes.c_int * 17)()
        status = self._check(_lib.slip_flat_step_derivatives(self._h, inputs, eps, shape))
        rows, columns, nc, nl, nborder, unique = shape[0:6]
        D, pointer = _new(rows * columns, rows)
        border, limits = (ctypes.c_int * nborder)(), (ctypes.c_int * nl)()
        _lib.slip_flat_step_matrix(self._h, pointer, border, limits)
        names = ("q", "v", "tau", "q_ref", "v_ref", "wrench", "friction", "restitution", "stiffness", "damping",
                 "density")
        first = sorted((at, name) for at, name in zip(shape[6:17], names) if at >= 0)
        ends = [at for at, _ in first[1:]] + [columns]
        return StepDerivatives(D, {name: (at, end - at) for (at, name), end in zip(first, ends)}, nc, list(limits),
                               status == 0, bool(unique), list(border))

    def _q(self, q: Any) -> Any:
        return _given(self.q if q is None else q, self.nq, "q")

    def _v(self, v: Any) -> Any:
        return _given(self.v if v is None else v, self.nv, "v")


class Worlds:
    """Several worlds of one robot or scene, stepped by one call."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self.worlds = list(worlds)
        self._handles = (_handle * len(self.worlds))(*[world._h for world in self.worlds])
        self.targets, self._pointer = _new(len(self.worlds) * self.worlds[0].nv, len(self.worlds))
        """What drives hold, [worlds, nv] (flat without NumPy): write it before step(targets=True)."""

    def step(self, n: int = 1, targets: bool = False) -> int:
        """n steps of each. An error of any raises, when all have stepped."""
        status = _lib.slip_flat_run(self._handles, len(self.worlds), n, self._pointer if targets else None)
        if status < 0:
            raise Error("; ".join(sorted({_lib.slip_flat_error(h).decode(errors="replace") for h in self._handles})))
        return status


# ---- contact problems ------------------------------------------------------------------------------------------------


class Solution(NamedTuple):
    """Impulses of a contact problem [N s], by contact t1, t2, n, then limits and loops."""

    impulses: Array
    iterations: int
    residual: float
    """of the NCP, by the judge"""
    model_residual: float
    """of the solver's own model"""
    solved: bool


def solvers() -> List[str]:
    """The names of all contact solvers."""
    out: List[str] = []
    while True:
        name = _lib.slip_flat_solver(len(out))
        if not name:
            return out
        out.append(name.decode())


def solve(problem: str, solver: str = "default", tol: float = 0.0) -> Solution:
    """Solves a contact problem: a file of the format of docs/contact.md, or its text. tol 0: the solver's usual one."""
    if "\n" in problem:
        data = problem.encode()
    else:
        with open(problem, "rb") as file:
            data = file.read()
    room = max(16, len(data))
    out, pointer = _new(room)
    n, stats, why = ctypes.c_int(), (_double * 3)(), ctypes.create_string_buffer(2048)
    status = _lib.slip_flat_solve(data, len(data), solver.encode(), tol, pointer, room, ctypes.byref(n), stats, why,
                                  2048)
    if status < 0:
        raise Error(why.value.decode(errors="replace"))
    return Solution(out[: n.value], int(stats[0]), stats[1], stats[2], status == 0)


# ---- environments ----------------------------------------------------------------------------------------------------


class Box:
    """An interval for each of n numbers, as Gymnasium's spaces.Box has it."""

    def __init__(self, low: Sequence[float], high: Sequence[float]) -> None:
        self.low, self.high = list(low), list(high)
        self.shape = (len(self.low),)
        self._random = random.Random()

    def seed(self, seed: Optional[int] = None) -> None:
        """Seeds sample()."""
        self._random.seed(seed)

    def sample(self) -> List[float]:
        """A point, uniform in the box (normal where it is not bounded)."""
        return [self._random.uniform(a, b) if math.isfinite(b - a) else self._random.gauss(0, 1)
                for a, b in zip(self.low, self.high)]

    def contains(self, x: Sequence[float]) -> bool:
        """Whether x is in it."""
        return len(x) == len(self.low) and all(a <= y <= b for a, y, b in zip(self.low, x, self.high))


def models(name: str = "") -> str:
    """The path of a robot or scene that comes with Slipstick; "": of their directory, SLIPSTICK_MODELS where it is
    set."""
    here = os.path.dirname(os.path.abspath(__file__))
    for place in (os.environ.get("SLIPSTICK_MODELS", ""), os.path.join(here, "..", "models"),
                  os.path.join(here, "..", "..", "share", "slipstick", "models"), "models"):
        if place and os.path.isdir(place):
            return os.path.join(place, name)
    raise Error("the models were not found: set SLIPSTICK_MODELS to their directory")


class Env:
    """A robot in the shape of Gymnasium's API: reset() and step() as there; no package is needed.

    An action is one number a joint, from -1 to 1: the drive's target about the pose the robot starts in, times `reach`
    [rad]. An observation is q without the base's place on the ground, v, and the last action. Subclasses say what a
    state is worth.
    """

    model = ""
    base = "auto"
    reach = 0.5
    decimation = 20
    """Steps of an action; with dt 1 ms, 50 actions a second."""
    seconds = 10.0
    """An episode is truncated then."""
    noise = 0.02
    """Of joints at the start [rad]."""
    start: Dict[str, float] = {}
    """Where joints start; patterns by their last letters."""

    def __init__(self, model: Optional[str] = None) -> None:
        path = model or models(self.model)
        self.world = World(path, text=self._scene(path), base=self.base)
        self.random = random.Random()
        free = [j for j in self.world.joints if self.world.place(j)[3] == 6]
        self.base_q: int = self.world.place(free[0])[0] if free else -1
        self.base_v: int = self.world.place(free[0])[2] if free else -1
        """Where a floating base begins in q and v; -1: it is fixed."""
        places = [self.world.place(j) for j in self.world.joints]
        self.joints: List[Tuple[int, int]] = [(p[0], p[2]) for p in places if p[3] == 1]
        """(iq, iv) of the joints that are driven."""
        n = len(self.joints)
        self._home = (_real * n)(*(self.world.q[iq] for iq, _ in self.joints))
        self._ivs = (ctypes.c_int * n)(*(iv for _, iv in self.joints))
        self._frame = _Frame(n, self.base_q, self._ivs, self._home, self.reach)
        self._handles = (_handle * 1)(self.world._h)
        self._size = self.world.nq - (2 if self.base_q >= 0 else 0) + self.world.nv + n
        self._snapshot = self.world.snapshot()
        self._steps = 0
        self._per_episode = int(round(self.seconds / (self.decimation * self.world.dt)))
        self.state: Array = self._act(None)
        """q without the base's place on the ground, v, and the last action, after the last step."""
        self.action_space = Box([-1.0] * n, [1.0] * n)
        n = len(self.observe())
        self.observation_space = Box([-math.inf] * n, [math.inf] * n)

    def _scene(self, path: str) -> Optional[str]:
        """The scene's text; None: the robot's file stands on the ground by itself."""
        if not self.start:
            return None
        joints = "".join(f"<joint joint='*{name}' position='{x}'/>" for name, x in self.start.items())
        return (f"<scene><ground/><robot file='{os.path.basename(path)}' place='ground' base='{self.base}'>{joints}"
                "<drive joint='*' hold='0.02'/></robot></scene>")

    def _act(self, action: Optional[Sequence[float]]) -> Array:
        """Takes an action, None: none, and returns the state."""
        out, pointer = _new(self._size)
        given = None if action is None else _given(action, len(self.joints), "action")
        self.world._check(_lib.slip_flat_act(self._handles, 1, self.decimation, self._frame, given, pointer))
        return out

    @property
    def action(self) -> Array:
        """The last action."""
        return self.state[self._size - len(self.joints) :]

    def observe(self) -> Array:
        """The observation of the present state: self.state, unless a subclass adds to it."""
        return self.state

    def reset(self, seed: Optional[int] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Array, Dict[str, Any]]:
        """A new episode: (observation, info). The same seed starts the same."""
        if seed is not None:
            self.random.seed(seed)
        self.world.restore(self._snapshot)
        for iq, _ in self.joints:
            self.world.q[iq] += self.random.uniform(-self.noise, self.noise)
        self._steps = 0
        self.state = self._act(None)
        return self.observe(), {}

    def _end(self) -> Tuple[Array, float, bool, bool, Dict[str, Any]]:
        self._steps += 1
        return self.observe(), float(self.reward()), bool(self.fell()), self._steps >= self._per_episode, {}

    def step(self, action: Sequence[float]) -> Tuple[Array, float, bool, bool, Dict[str, Any]]:
        """(observation, reward, terminated, truncated, info) after `decimation` steps."""
        self.state = self._act(action)
        return self._end()

    def upright(self) -> float:
        """The vertical part of the base's z axis: 1 upright, -1 upside down."""
        if self.base_q < 0:
            return 1.0
        x, y = self.world.q[self.base_q + 3], self.world.q[self.base_q + 4]
        return 1.0 - 2.0 * (x * x + y * y)

    def effort(self) -> float:
        """The sum of the actions' squares."""
        return sum(a * a for a in self.state[self._size - len(self.joints) :])

    def reward(self) -> float:
        """What the present state is worth."""
        raise NotImplementedError

    def fell(self) -> bool:
        """Whether the episode is over."""
        return False

    def close(self) -> None:
        """Forgets the world."""
        self.world = None  # type: ignore[assignment]


class QuadrupedEnv(Env):
    """Solo-12 walks forwards: the reward is its speed along x, at most 1 m/s, less a share of the actions' squares."""

    model, base = "solo12.urdf", "free"
    start = {"f_hfe": 0.8, "h_hfe": -0.8, "f_kfe": -1.6, "h_kfe": 1.6}

    def reward(self) -> float:
        w, i = self.world, self.base_v
        x, y, z, s = w.q[self.base_q + 3 : self.base_q + 7]
        ahead = (1 - 2 * (y * y + z * z)) * w.v[i] + 2 * (x * y - z * s) * w.v[i + 1] + 2 * (x * z + y * s) * w.v[i + 2]
        return min(1.0, ahead) - 0.01 * self.effort()

    def fell(self) -> bool:
        return self.upright() < 0.5 or self.world.q[self.base_q + 2] < 0.1


class ArmEnv(Env):
    """An arm of six joints brings its tip to a point that changes with every episode: minus the distance [m]."""

    model, base, seconds = "arm.urdf", "fixed", 5.0
    goal = (0.3, 0.3, 0.4)

    def reset(self, seed: Optional[int] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Array, Dict[str, Any]]:
        _, info = super().reset(seed, options)
        angle = self.random.uniform(-math.pi, math.pi)
        self.goal = (0.5 * math.cos(angle), 0.5 * math.sin(angle), self.random.uniform(0.2, 0.6))
        return self.observe(), info

    def observe(self) -> Array:
        state = list(super().observe()) + list(self.goal)
        out, _ = _new(len(state))
        out[:] = state
        return out

    def reward(self) -> float:
        return -math.dist(self.world.pose(self.world.links[-1])[1], self.goal)


class HumanoidEnv(Env):
    """A humanoid stays up: one a step while it stands, less a share of the actions' squares."""

    model, base, reach = "humanoid.urdf", "free", 0.3

    def reward(self) -> float:
        return (1.0 if not self.fell() else 0.0) - 0.01 * self.effort()

    def fell(self) -> bool:
        return self.upright() < 0.7


class VectorEnv:
    """n environments of one sort, whose worlds step in one call of the library. Those that end start again at once.

    make: makes one. Observations are views of one array of the step; they last, since the next step has another.
    """

    def __init__(self, make: Any, n: int) -> None:
        self.envs: List[Env] = [make() for _ in range(n)]
        first = self.envs[0]
        self._handles = (_handle * n)(*[env.world._h for env in self.envs])
        self._actions = (_real * (n * len(first.joints)))()
        self.action_space, self.observation_space = first.action_space, first.observation_space

    def reset(self, seed: Optional[int] = None) -> Tuple[List[Array], List[Dict[str, Any]]]:
        """Observations and infos of all; with a seed, environment i gets seed + i."""
        both = [env.reset(None if seed is None else seed + i) for i, env in enumerate(self.envs)]
        return [observation for observation, _ in both], [info for _, info in both]

    def step(self, actions: Any) -> Tuple[List[Array], List[float], List[bool], List[bool], List[Dict]]:
        """As Env.step, in lists; actions: one a row. The info of an environment that ended has its last observation as
        "final_observation"."""
        first, n = self.envs[0], len(self.envs)
        nact, size = len(first.joints), first._size
        if _np is not None and isinstance(actions, _np.ndarray):
            pointer = _given(actions, n * nact, "actions")
        else:
            flat = [a for action in actions for a in action]
            pointer = _given(flat, n * nact, "actions")
        rows = (_real * size * n)()
        status = _lib.slip_flat_act(self._handles, n, first.decimation, first._frame, pointer,
                                    ctypes.cast(rows, _reals))
        if status < 0:
            raise Error("; ".join(sorted({_lib.slip_flat_error(h).decode(errors="replace") for h in self._handles})))
        states = _np.ctypeslib.as_array(rows) if _np is not None else rows
        out: Tuple[List[Array], List[float], List[bool], List[bool], List[Dict]] = ([], [], [], [], [])
        for env, state in zip(self.envs, states):
            env.state = state
            observation, reward, terminated, truncated, info = env._end()
            if terminated or truncated:
                info["final_observation"] = observation
                observation, _ = env.reset()
            out[0].append(observation)
            out[1].append(reward)
            out[2].append(terminated)
            out[3].append(truncated)
            out[4].append(info)
        return out
