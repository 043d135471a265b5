/* A scene around a robot's file: what `slipstick sim ROBOT.urdf` runs. See scene.h. */
#include "io/scene.h"

#include <string.h>
#include "io/put.h"

/* How far joints give way under the whole robot's weight, pulling at an arm as long as the robot is large [rad]. */
#define SCENE_HOLD "0.01"

size_t slip_scene_around(const char *file, slip_scene_base base, char *text, size_t size)
{
    static const char *const bases[] = { "auto", "free", "fixed" };
    const char *slash = strrchr(file, '/'), *last = slash ? slash + 1 : file;
    slip_stream_memory memory;
    slip_stream out;

    memory.text = text;
    memory.size = size;
    memory.used = 0;
    slip_stream_to_memory(&memory, &out);
    slip_put_text(&out, "<scene name='");
    slip_put_xml(&out, last);
    slip_put_text(&out, "'><simulation duration='2'/><ground when='needed'/><robot place='auto' base='");
    slip_put_text(&out, bases[base]);
    slip_put_text(&out, "' file='");
    slip_put_xml(&out, last);
    slip_put_text(&out, "'><drive joint='*' hold='" SCENE_HOLD "'/></robot></scene>");
    return slip_stream_flush(&out) == SLIP_OK ? memory.used : 0;
}
