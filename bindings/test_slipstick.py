"""Tests of slipstick.py and its examples: python3 test_slipstick.py; SLIPSTICK_LIBRARY says where the library is."""
import contextlib
import gc
import glob
import io
import math
import os
import runpy
import unittest

import slipstick

MODELS = slipstick.models("")
CUBE = ("<scene><ground/><body name='cube' mass='2'><origin xyz='0 0 {z}'/><geometry><box size='0.2 0.2 0.2'/>"
        "</geometry></body></scene>")


def cube(z=0.1):
    return slipstick.World("cube.xml", text=CUBE.format(z=z))


class Worlds(unittest.TestCase):
    def test_a_cube_falls_as_it_should_and_rests(self):
        world = cube(1.0)
        world.step(100)
        self.assertAlmostEqual(world.q[2], 1 - 9.81 / 2 * world.time**2, delta=1e-4)
        world.step(2000)
        self.assertAlmostEqual(world.q[2], 0.1, delta=1e-4)
        self.assertAlmostEqual(sum(c.force[2] for c in world.contacts()), 2 * 9.81, delta=1e-3)
        self.assertEqual({c.link_b for c in world.contacts()}, {"cube"})
        self.assertAlmostEqual(world.link("cube").contact_wrench[2], 2 * 9.81, delta=1e-3)

    def test_arrays_are_the_worlds_own_memory(self):
        world = cube()
        world.q[0] = 5.0
        world.update()
        self.assertAlmostEqual(world.link("cube").position[0], 5.0, places=6)
        world.wrench[6] = 100.0
        world.step(100)
        self.assertGreater(world.q[0], 5.01)

    def test_what_is_refused_is_an_error_in_its_own_words(self):
        with self.assertRaisesRegex(slipstick.Error, "nowhere.xml"):
            slipstick.World("nowhere.xml")
        with self.assertRaisesRegex(slipstick.Error, r"bad.xml:1:\d+"):
            slipstick.World("bad.xml", text="<scene><body name='a' mass='x'/></scene>")
        world = cube()
        world.q[0] = math.nan
        with self.assertRaisesRegex(slipstick.Error, "finite|nan"):
            world.step()
        with self.assertRaises(KeyError):
            world.link("nobody")
        with self.assertRaisesRegex(slipstick.Error, "magic"):
            world.set_solver("magic")
        with self.assertRaises(ValueError):
            world.set_targets([0.0])

    def test_warnings_are_kept(self):
        text = "<scene><ground/><body name='a' colour='red'><geometry><box size='1 1 1'/></geometry></body></scene>"
        self.assertIn("colour", slipstick.World("w.xml", text=text).warnings[0])

    def test_snapshots_continue_bit_for_bit(self):
        world = cube(0.3)
        snapshot, ends = world.snapshot(), []
        for _ in range(2):
            world.restore(snapshot)
            world.step(500)
            ends.append(list(world.q))
        self.assertEqual(*ends)
        with self.assertRaises(slipstick.Error):
            world.restore(b"nonsense")

    def test_several_worlds_step_by_one_call(self):
        worlds = slipstick.Worlds([cube(0.5), cube(0.6)])
        worlds.step(50)
        self.assertAlmostEqual(worlds.worlds[1].q[2] - worlds.worlds[0].q[2], 0.1, places=6)


class Dynamics(unittest.TestCase):
    def setUp(self):
        self.arm = slipstick.World(os.path.join(MODELS, "arm.urdf"))
        self.q = [0.1 * (i + 1) for i in range(self.arm.nq)]
        self.v = [0.2 * (-1) ** i for i in range(self.arm.nv)]

    def matrix(self, name):
        n = self.arm.nv
        x = getattr(self.arm, name)(self.q)
        flat = [float(y) for row in x for y in (row if hasattr(row, "__len__") else [row])]
        return [flat[n * i : n * (i + 1)] for i in range(n)]

    def test_the_inverse_inverts(self):
        n, M, W = self.arm.nv, self.matrix("mass_matrix"), self.matrix("mass_matrix_inverse")
        for i in range(n):
            for k in range(n):
                self.assertAlmostEqual(sum(M[i][j] * W[j][k] for j in range(n)), float(i == k), places=4)

    def test_forward_and_inverse_dynamics_agree(self):
        tau = [0.5] * self.arm.nv
        a = self.arm.forward_dynamics(self.q, self.v, tau)
        for x, y in zip(self.arm.inverse_dynamics(self.q, self.v, a), tau):
            self.assertAlmostEqual(x, y, places=4)

    def test_the_jacobian_is_the_derivative_of_the_pose(self):
        arm, link, h = self.arm, self.arm.links[-1], 1e-3
        J = [float(y) for row in arm.jacobian(link, self.q) for y in (row if hasattr(row, "__len__") else [row])]
        for i in range(arm.nv):
            up, down = (arm.pose(link, [x + s * h * (k == i) for k, x in enumerate(self.q)])[1] for s in (1, -1))
            for k in range(3):
                self.assertAlmostEqual(J[k * arm.nv + i], (up[k] - down[k]) / (2 * h), places=3)

    def test_difference_undoes_integrate(self):
        for x, y in zip(self.arm.difference(self.q, self.arm.integrate(self.q, self.v)), self.v):
            self.assertAlmostEqual(x, y, places=5)


def flat(rows):
    """The numbers of an array, whether NumPy shapes it or not."""
    return [float(y) for row in rows for y in (row if hasattr(row, "__len__") else [row])]


class Batches(unittest.TestCase):
    def setUp(self):
        self.arm = slipstick.World(os.path.join(MODELS, "arm.urdf"))
        nq, nv = self.arm.nq, self.arm.nv
        self.q = [[0.1 * i - 0.3 * k for i in range(nq)] for k in range(5)]
        self.v = [[0.2 * k - 0.1 * i for i in range(nv)] for k in range(5)]
        self.x = [[0.5 * (-1) ** (i + k) for i in range(nv)] for k in range(5)]

    def near(self, many, one):
        for x, y in zip(many, one):
            self.assertAlmostEqual(x, y, delta=1e-3 * (1 + abs(y)))

    def test_a_batch_gives_what_single_states_give(self):
        arm, nv = self.arm, self.arm.nv
        a, tau = flat(arm.batch_forward_dynamics(self.q, self.v, self.x)), flat(
            arm.batch_inverse_dynamics(self.q, self.v, self.x))
        M, X = flat(arm.batch_mass_matrix(self.q)), flat(arm.batch_pose(arm.links[-1], self.q))
        self.assertEqual([len(a), len(tau), len(M), len(X)], [5 * nv, 5 * nv, 5 * nv * nv, 60])
        for k, (q, v, x) in enumerate(zip(self.q, self.v, self.x)):
            self.near(a[k * nv :], arm.forward_dynamics(q, v, x))
            self.near(tau[k * nv :], arm.inverse_dynamics(q, v, x))
            self.near(M[k * nv * nv :], flat(arm.mass_matrix(q)))
            rotation, position = arm.pose(arm.links[-1], q)
            self.near(X[12 * k :], rotation + position)

    def test_wrong_numbers_are_refused(self):
        with self.assertRaisesRegex(ValueError, "rows of"):
            self.arm.batch_mass_matrix([1.0])
        with self.assertRaises(ValueError):
            self.arm.batch_forward_dynamics(self.q, self.v, self.x[:2])
        with self.assertRaisesRegex(slipstick.Error, "one of the states"):
            self.arm.batch_inverse_dynamics(self.q, self.v, [[math.nan] * self.arm.nv] * 5)

    def test_arrays_of_numpy_are_taken_as_they_are(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no NumPy")
        q = numpy.array(self.q, dtype=self.arm.q.dtype)
        self.assertEqual(self.arm.batch_mass_matrix(q).shape, (5, self.arm.nv**2))
        self.assertEqual(flat(self.arm.batch_mass_matrix(q)), flat(self.arm.batch_mass_matrix(self.q)))


class Derivatives(unittest.TestCase):
    def setUp(self):
        self.arm = slipstick.World(os.path.join(MODELS, "arm.urdf"))
        n = self.arm.nv
        self.q, self.v, self.tau = [0.2] * n, [0.3] * n, [0.4] * n

    def test_they_are_differences(self):
        n, h = self.arm.nv, 1e-2
        by = self.arm.forward_dynamics_derivatives(self.q, self.v, self.tau)
        for which in range(3):
            D = flat(by[which])
            for k in range(n):
                ends = []
                for sign in (1, -1):
                    state = [list(self.q), list(self.v), list(self.tau)]
                    state[which][k] += sign * h
                    ends.append(self.arm.forward_dynamics(*state))
                for i in range(n):
                    difference = (ends[0][i] - ends[1][i]) / (2 * h)
                    self.assertAlmostEqual(D[i * n + k], difference, delta=0.02 * (1 + abs(difference)))

    def test_that_of_inverse_dynamics_by_a_is_the_mass_matrix(self):
        by_a = flat(self.arm.inverse_dynamics_derivatives(self.q, self.v, self.tau)[2])
        for x, y in zip(by_a, flat(self.arm.mass_matrix(self.q))):
            self.assertAlmostEqual(x, y, places=5)

    def test_a_linear_step_foretells_the_next_one(self):
        """A ball that rolls on the ground, pushed a little."""
        text = ("<scene><simulation dt='0.001' integrator='euler'/><ground/><body name='ball' mass='1' "
                "velocity='1 0 0' angular='0 5 0'><origin xyz='0 0 0.2'/><geometry><sphere radius='0.2'/></geometry>"
                "</body></scene>")
        world = slipstick.World("ball.xml", text=text)
        world.step(100)
        snapshot, n, h = world.snapshot(), world.nv, 0.1
        linear = world.linearize()
        self.assertEqual(world.snapshot(), snapshot)             # nothing moved
        A, B = flat(linear.A), flat(linear.B)
        self.assertEqual((len(A), len(B)), (4 * n * n, 2 * n * n))
        ends = []
        for push in (0.0, h):
            world.restore(snapshot)
            world.tau[0] = push
            world.step()
            ends.append(list(world.v))
            world.tau[0] = 0.0
        for i in range(n):
            self.assertAlmostEqual(B[(n + i) * n] * h, ends[1][i] - ends[0][i], delta=1e-6)
        self.assertGreater(ends[1][0], ends[0][0])

    def test_a_step_is_differentiated_by_what_is_asked_for(self):
        world = cube(0.5)
        self.assertEqual(flat(world.step_derivatives().D)[0], 1.0)       # by the usual steps too: dq+/dq
        world.set_integrator("euler")
        time, n = world.time, world.nv
        found = world.step_derivatives(("state", "tau", "wrench"))
        self.assertGreater(world.time, time)
        self.assertEqual(found.columns, {"q": (0, n), "v": (n, n), "tau": (2 * n, n), "wrench": (3 * n, 12)})
        self.assertTrue(found.exists and found.unique and found.ncontacts == 0)
        D, columns = flat(found.D), 3 * n + 12
        for i in range(3):                                       # a free fall: v+ = v + dt tau / m, m = 2 kg
            self.assertAlmostEqual(D[(n + i) * columns + 2 * n + i], world.dt / 2, places=6)
        with self.assertRaises(ValueError):
            world.step_derivatives("taste")
        with self.assertRaisesRegex(slipstick.Error, "integrator"):
            world.set_integrator("magic")


class Robots(unittest.TestCase):
    TEXT = ("<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
            "</link>\n<link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
            "</robot>")

    def test_a_robot_may_be_text_and_warnings_have_its_lines(self):
        world = slipstick.World("nowhere/r.urdf", text=self.TEXT)
        self.assertEqual(world.joints[0], "j")
        self.assertRegex("\n".join(world.warnings), r"nowhere/r.urdf:2:\d+: joint 'j' moves nothing")

    def test_arrays_outlive_their_world(self):
        world = cube(0.7)
        q = world.q
        del world
        gc.collect()
        self.assertAlmostEqual(q[2], 0.7, places=6)

    def test_a_world_that_is_gone_leaves_no_memory_behind(self):
        closed = []
        close = slipstick._lib.slip_flat_close

        class Counting:
            def __getattr__(self, name):
                return (lambda h: (closed.append(h), close(h))) if name == "slip_flat_close" else getattr(lib, name)

        lib, slipstick._lib = slipstick._lib, Counting()
        try:
            for _ in range(3):
                cube()
            gc.collect()
        finally:
            slipstick._lib = lib
        self.assertEqual(len(closed), 3)


class Problems(unittest.TestCase):
    def test_a_problem_is_solved_to_the_judges_residual(self):
        solution = slipstick.solve(sorted(glob.glob(os.path.join(MODELS, "problems", "*.txt")))[0], "default", 1e-6)
        self.assertTrue(solution.solved)
        self.assertLess(solution.residual, 1e-4)
        self.assertGreater(len(solution.impulses), 0)
        self.assertIn("default", slipstick.solvers())
        with self.assertRaisesRegex(slipstick.Error, "magic"):
            slipstick.solve("contacts 0\n", "magic")


class Environments(unittest.TestCase):
    def check(self, make):
        env = make()
        first, info = env.reset(seed=3)
        again, _ = make().reset(seed=3)
        self.assertEqual(list(first), list(again))
        self.assertEqual(len(first), env.observation_space.shape[0])
        env.action_space.seed(4)
        for _ in range(10):
            action = env.action_space.sample()
            self.assertTrue(env.action_space.contains(action))
            observation, reward, terminated, truncated, info = env.step(action)
            self.assertTrue(math.isfinite(reward) and all(math.isfinite(x) for x in observation))
            self.assertIsInstance(terminated, bool)
            self.assertIsInstance(truncated, bool)
        with self.assertRaises(ValueError):
            env.step([0.0])

    def test_three_robots(self):
        for make in (slipstick.QuadrupedEnv, slipstick.ArmEnv, slipstick.HumanoidEnv):
            with self.subTest(make.__name__):
                self.check(make)

    def test_a_quadruped_at_rest_stands_and_earns_nothing(self):
        env = slipstick.QuadrupedEnv()
        env.reset(seed=1)
        for _ in range(50):
            _, reward, terminated, _, _ = env.step([0.0] * 12)
        self.assertFalse(terminated)
        self.assertAlmostEqual(reward, 0, delta=0.01)

    def test_a_vector_of_environments_does_what_each_does_alone(self):
        alone, vector = slipstick.QuadrupedEnv(), slipstick.VectorEnv(slipstick.QuadrupedEnv, 2)
        alone.reset(seed=6)
        vector.reset(seed=5)
        actions = [[0.2 * math.sin(k + i) for i in range(12)] for k in range(5)]
        for action in actions:
            observation, reward, _, _, _ = alone.step(action)
            observations, rewards, _, _, _ = vector.step([[0.0] * 12, action])
        self.assertEqual(list(observation), list(observations[1]))
        self.assertEqual(reward, rewards[1])

    def test_what_ends_starts_again(self):
        class Short(slipstick.ArmEnv):
            seconds = 0.1

        vector = slipstick.VectorEnv(Short, 1)
        vector.reset(seed=1)
        ends = [vector.step([[0.0] * 6]) for _ in range(6)]
        self.assertEqual([end[3][0] for end in ends], [False, False, False, False, True, False])
        self.assertIn("final_observation", ends[4][4][0])


class Examples(unittest.TestCase):
    def test_twelve_of_them_run(self):
        files = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples", "*.py")))
        self.assertEqual(len(files), 12)
        for file in files:
            with self.subTest(os.path.basename(file)):
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    runpy.run_path(file)
                self.assertGreater(len(out.getvalue()), 10)
                self.assertNotIn("DIFFERENT", out.getvalue())


if __name__ == "__main__":
    unittest.main()
