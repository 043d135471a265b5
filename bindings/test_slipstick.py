"""Tests of slipstick.py and its examples: python3 test_slipstick.py; SLIPSTICK_LIBRARY says where the library is."""
import contextlib
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
    def test_ten_of_them_run(self):
        files = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples", "*.py")))
        self.assertEqual(len(files), 10)
        for file in files:
            with self.subTest(os.path.basename(file)):
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    runpy.run_path(file)
                self.assertGreater(len(out.getvalue()), 10)
                self.assertNotIn("DIFFERENT", out.getvalue())


if __name__ == "__main__":
    unittest.main()
