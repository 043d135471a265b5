// Slipstick for C++17: worlds and models that own their memory, spans over it, and errors as exceptions. A header
// alone, over slipstick_parts.h, whose functions take a world's or model's get().
//
//     slip::World world("models/solo12.urdf");        // a robot on level ground, or a scene
//     world.q()[2] += 0.1;
//     world.step(1000);
//     for (const slip_contact_info &c : world.contacts()) ...
//
// With SLIPSTICK_NO_EXCEPTIONS nothing is thrown: status() and message() tell how the last call that can fail went, and
// a world or model that could not be made is false.
#ifndef SLIPSTICK_HPP
#define SLIPSTICK_HPP

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "slipstick_parts.h"

namespace slip {

using real = slip_real;

/// What the library refused: its message, and the status.
class Error
#ifndef SLIPSTICK_NO_EXCEPTIONS
    : public std::exception
#endif
{
public:
    Error(slip_status status, std::string what) : status_(status), what_(std::move(what)) {}
    slip_status status() const noexcept { return status_; }
    const char *what() const noexcept
#ifndef SLIPSTICK_NO_EXCEPTIONS
        override
#endif
    { return what_.c_str(); }

private:
    slip_status status_;
    std::string what_;
};

/// Numbers that somebody else owns: valid as long as the owner.
template <class T> class Span {
public:
    Span(T *data, std::size_t size) : data_(data), size_(size) {}
    T *data() const { return data_; }
    std::size_t size() const { return size_; }
    T *begin() const { return data_; }
    T *end() const { return data_ + size_; }
    T &operator[](std::size_t i) const { return data_[i]; }

private:
    T *data_;
    std::size_t size_;
};

/// How the last call went; base of what owns memory.
class Owner {
public:
    slip_status status() const { return status_; }
    const std::string &message() const { return message_; }

protected:
    /// Notes a status; negative ones throw, unless that is switched off.
    slip_status note(slip_status status, const slip_error *error = nullptr)
    {
        char text[sizeof(slip_error) + 64] = "";

        status_ = status;
        if (status < 0 && error && error->status < 0) slip_error_text(error, text, (int)sizeof text);
        message_ = text[0] ? text : slip_status_text(status);
#ifndef SLIPSTICK_NO_EXCEPTIONS
        if (status < 0) throw Error(status, message_);
#endif
        return status;
    }

    /// A block of memory, and an arena over it.
    struct Memory {
        std::unique_ptr<unsigned char[]> block;
        slip_arena arena{};
        void take(std::size_t bytes)
        {
            block.reset(new unsigned char[bytes]);
            arena = slip_arena_over(block.get(), bytes);
        }
    };

    /// Calls f(arena) with more and more memory until that is enough.
    template <class F> slip_status grow(Memory &memory, std::size_t bytes, F f)
    {
        slip_status s = SLIP_ERR_WORKSPACE;

        for (; s == SLIP_ERR_WORKSPACE && bytes < most; bytes *= 4) {
            memory.take(bytes);
            s = f(&memory.arena);
        }
        return s;
    }

private:
    static constexpr std::size_t most = (std::size_t)1 << (sizeof(std::size_t) > 4 ? 34 : 30);
    slip_status status_ = SLIP_OK;
    std::string message_;
};

/// A robot's model, from a URDF or MJCF file, and the algorithms on it.
class Model : public Owner {
public:
    explicit Model(const std::string &path, bool free_base = false, real repair_armature = 0)
    {
        slip_urdf_options opt = slip_urdf_defaults();
        slip_error error;

        opt.free_base = free_base;
        opt.find_meshes = 0;
        slip_error_clear(&error);
        slip_error_set_file(&error, path.c_str());
        const slip_status s = grow(memory_, (std::size_t)1 << 20, [&](slip_arena *mem) {
            slip_status t = slip_robot_load(path.c_str(), &opt, mem, &robot_, nullptr, &error);
            if (t < 0) return t;
            robot_.def.repair_armature = repair_armature;
            t = slip_model_build(&robot_.def, mem, &model_, nullptr, &error);
            return t < 0 ? t : slip_data_create(model_, mem, &data_);
        });
        if (s < 0) model_ = nullptr;
        note(s, &error);
    }

    explicit operator bool() const { return model_ != nullptr; }
    const slip_model *get() const { return model_; }
    slip_data *data() { return data_; }
    int nq() const { return model_->nq; }
    int nv() const { return model_->nv; }
    int link(const char *name) const { return slip_model_find_link(model_, name); }

    std::vector<real> neutral() const
    {
        std::vector<real> q((std::size_t)model_->nq);

        slip_neutral(model_, q.data());
        return q;
    }

    /// M(q), row by row.
    std::vector<real> mass_matrix(const std::vector<real> &q)
    {
        std::vector<real> M((std::size_t)model_->nv*(std::size_t)model_->nv);

        if (fits(q, model_->nq) && note(slip_crba(model_, data_, q.data())) >= 0)
            slip_mass_matrix(model_, data_, M.data());
        return M;
    }

    /// tau = M a + bias.
    std::vector<real> inverse_dynamics(const std::vector<real> &q, const std::vector<real> &v,
                                       const std::vector<real> &a)
    {
        std::vector<real> tau((std::size_t)model_->nv);

        if (fits(q, model_->nq) && fits(v, model_->nv) && fits(a, model_->nv))
            note(slip_rnea(model_, data_, q.data(), v.data(), a.data(), nullptr, tau.data()));
        return tau;
    }

    /// a = M^-1 (tau - bias).
    std::vector<real> forward_dynamics(const std::vector<real> &q, const std::vector<real> &v,
                                       const std::vector<real> &tau)
    {
        std::vector<real> a((std::size_t)model_->nv);

        if (fits(q, model_->nq) && fits(v, model_->nv) && fits(tau, model_->nv))
            note(slip_aba(model_, data_, q.data(), v.data(), tau.data(), nullptr, a.data()));
        return a;
    }

    /// A link's frame in the world.
    slip_pose pose(int link, const std::vector<real> &q)
    {
        slip_pose X;

        slip_pose_identity(&X);
        if (is_link(link) && fits(q, model_->nq) && note(slip_kinematics(model_, data_, q.data())) >= 0)
            slip_link_pose(model_, data_, link, &X);
        return X;
    }

    /// 6 nv numbers, row by row: linear, then angular velocity of a link per unit v.
    std::vector<real> jacobian(int link, const std::vector<real> &q, slip_frame frame = SLIP_FRAME_ALIGNED)
    {
        std::vector<real> J(6*(std::size_t)model_->nv);

        if (is_link(link) && fits(q, model_->nq) && note(slip_kinematics(model_, data_, q.data())) >= 0)
            slip_link_jacobian(model_, data_, link, frame, J.data());
        return J;
    }

private:
    bool fits(const std::vector<real> &x, int n) { return x.size() == (std::size_t)n || note(SLIP_ERR_ARGUMENT) >= 0; }
    bool is_link(int link) { return (link >= 0 && link < model_->nlinks) || note(SLIP_ERR_ARGUMENT) >= 0; }

    Memory memory_;
    slip_urdf robot_{};
    const slip_model *model_ = nullptr;
    slip_data *data_ = nullptr;
};

/// A world: a scene's file, or a robot's, which then stands on level ground.
class World : public Owner {
public:
    explicit World(const std::string &path, slip_scene_base base = SLIP_BASE_AUTO) : World(path, read(path), base) {}

    /// The same from text; path is its name, and tells where files that it names are.
    World(const std::string &path, std::string text, slip_scene_base base = SLIP_BASE_AUTO)
        : scene_(std::make_unique<slip_scene>())
    {
        slip_error error;

        slip_error_clear(&error);
        slip_error_set_file(&error, path.c_str());
        if (text == unreadable()) {
            note(slip_fail(&error, SLIP_ERR_FILE, 0, 0, "cannot be read"), &error);
            return;
        }
        slip_scene_options options = slip_scene_defaults();
        std::string robot;

        if (slip_robot_format(text.data(), text.size()) != 0) {
            std::string around(6*path.size() + 400, '\0');

            around.resize(slip_scene_around(path.c_str(), base, &around[0], around.size()));
            robot = std::move(text);
            text = std::move(around);
            options.robot_text = robot.data();
            options.robot_length = robot.size();
        }
        slip_status s = grow(scene_memory_, ((std::size_t)1 << 20) + 64*text.size(), [&](slip_arena *mem) {
            return slip_scene_read(text.data(), text.size(), path.c_str(), &options, mem, scene_.get(), nullptr,
                                   &error);
        });
        while (s >= 0) {
            world_memory_.take(slip_world_bytes(&scene_->world));
            s = slip_scene_start(scene_.get(), &world_memory_.arena, &world_, nullptr, &error);
            if (s < 0 || !slip_scene_make_room(scene_.get(), world_)) break;
        }
        if (s < 0) world_ = nullptr;
        else slip_world_set_control(world_, slip_scene_control, scene_.get());
        note(s, &error);
    }

    explicit operator bool() const { return world_ != nullptr; }
    slip_world *get() { return world_; }
    const slip_scene &scene() const { return *scene_; }
    const slip_model *model() const { return slip_world_model(world_); }
    int link(const char *name) const { return slip_model_find_link(model(), name); }

    Span<real> q() { return { slip_world_q(world_), (std::size_t)model()->nq }; }
    Span<real> v() { return { slip_world_v(world_), (std::size_t)model()->nv }; }
    Span<real> tau() { return { slip_world_tau(world_), (std::size_t)model()->nv }; }
    slip_drive *drive(int iv) { return slip_world_drive(world_, iv); }
    real time() const { return slip_world_time(world_); }

    /// n steps; a positive status: the solver missed its tolerance, the world has stepped.
    slip_status step(int n = 1)
    {
        slip_status worst = SLIP_OK;

        for (int i = 0; i < n; ++i) {
            const slip_status s = slip_step(world_);

            if (s < 0) return note(s, slip_world_error(world_));
            if (s > worst) worst = s;
        }
        return note(worst);
    }

    slip_status update() { return note(slip_world_update(world_), slip_world_error(world_)); }
    void reset() { slip_scene_reset(scene_.get(), world_); }

    std::vector<slip_contact_info> contacts() const
    {
        std::vector<slip_contact_info> list;

        for (int i = 0; i < slip_contact_count(world_); ++i) list.push_back(slip_contact_get(world_, i));
        return list;
    }

    std::vector<unsigned char> snapshot() const
    {
        std::vector<unsigned char> bytes(slip_snapshot_bytes(world_));

        slip_snapshot_save(world_, bytes.data());
        return bytes;
    }

    slip_status restore(const std::vector<unsigned char> &bytes)
    {
        return note(slip_snapshot_restore(world_, bytes.data(), bytes.size()), slip_world_error(world_));
    }

private:
    static const char *unreadable() { return "\x01"; }          // no text of a scene or a robot

    static std::string read(const std::string &path)
    {
        std::string text;
        char part[4096];
        std::FILE *f = std::fopen(path.c_str(), "rb");

        if (!f) return unreadable();
        for (std::size_t n; (n = std::fread(part, 1, sizeof part, f)) > 0;) text.append(part, n);
        std::fclose(f);
        return text;
    }

    Memory scene_memory_, world_memory_;
    std::unique_ptr<slip_scene> scene_;          // its address is the callback's context: a world can be moved
    slip_world *world_ = nullptr;
};

}  // namespace slip

#endif
