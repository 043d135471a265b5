// Tests of slipstick.hpp, with and without exceptions; the argument is the directory of the models.
#include "slipstick.hpp"

#include <cmath>

static int failures = 0;

static void check(bool ok, const char *what)
{
    if (ok) return;
    std::fprintf(stderr, "FAILED: %s\n", what);
    ++failures;
}

static const char cube[] = "<scene><ground/><body name='cube' mass='2'><origin xyz='0 0 1'/><geometry>"
                           "<box size='0.2 0.2 0.2'/></geometry></body></scene>";

static void worlds()
{
    slip::World made("cube.xml", cube), world(std::move(made));
    slip::real sum = 0;

    world.step(100);
    check(std::fabs(world.q()[2] - (1 - 9.81/2*0.01)) < 1e-3, "it falls");
    const auto bytes = world.snapshot();
    world.step(2000);
    for (const slip_contact_info &c : world.contacts()) sum += c.force[2];
    check(std::fabs(sum - 2*9.81) < 1e-2, "it rests on its weight");
    const std::vector<slip::real> end(world.q().begin(), world.q().end());
    check(world.restore(bytes) >= 0, "restored");
    world.step(2000);
    check(std::vector<slip::real>(world.q().begin(), world.q().end()) == end, "the same bits");
}

static void robots(const std::string &models)
{
    slip::World robot(models + "/solo12.urdf");
    slip::Model arm(models + "/arm.urdf");
    const auto q = arm.neutral();
    const std::vector<slip::real> v((std::size_t)arm.nv(), 1), tau((std::size_t)arm.nv(), 2);

    robot.step(500);
    check(robot.contacts().size() == 4, "four feet");
    check(robot.model()->nv == 18, "a free base");
    const auto back = arm.inverse_dynamics(q, v, arm.forward_dynamics(q, v, tau));
    for (std::size_t i = 0; i < back.size(); ++i) check(std::fabs(back[i] - 2) < 1e-3, "dynamics undo themselves");
    check(arm.mass_matrix(q).size() == 36 && arm.mass_matrix(q)[0] > 0, "M");
    check(arm.jacobian(arm.get()->nlinks - 1, q).size() == 36, "J");
}

static void errors()
{
#ifdef SLIPSTICK_NO_EXCEPTIONS
    slip::World none("nowhere.xml");
    slip::Model no("nowhere.urdf");
    check(!none && none.status() < 0 && none.message().find("nowhere.xml: cannot be read") != std::string::npos,
          "a world that is not");
    check(!no && no.status() < 0, "a model that is not");
#else
    int caught = 0;

    try { slip::World none("nowhere.xml"); } catch (const slip::Error &e) {
        caught += std::string(e.what()).find("nowhere.xml: cannot be read") != std::string::npos;
    }
    try { slip::World bad("bad.xml", "<scene><body name='a' mass='x'/></scene>"); } catch (const std::exception &e) {
        caught += std::string(e.what()).find("bad.xml:1") != std::string::npos;
    }
    try {
        slip::World world("cube.xml", cube);
        world.q()[0] = NAN;
        world.step();
    } catch (const slip::Error &e) { caught += e.status() == SLIP_ERR_ARGUMENT; }
    try { slip::World world("cube.xml", cube); world.restore({ 1, 2, 3 }); } catch (const slip::Error &) { ++caught; }
    check(caught == 4, "four errors are caught");
#endif
}

int main(int argc, char **argv)
{
    worlds();
    robots(argc > 1 ? argv[1] : "models");
    errors();
    std::printf("slipstick.hpp: %s\n", failures ? "FAILED" : "passed");
    return failures > 0;
}
