// What the rows of a crowd play, for shaders that compute their poses: one fragment is one joint or one morph weight of
// one row. framework/models/baked_animations.py computes the same poses on the CPU.
#include "pose3d.glsl"

uniform sampler2D baked_data;     // texels one after another: animations, nodes, joints, poses
uniform sampler2D crowd_states;   // what each row plays, in one half before the tick and in the other half after it
uniform vec3 moment;              // ticks since the last tick; first texel of the states before the tick, and after it
uniform int row_count;
uniform int fragments_of_row;

const float ANIMATIONS = 4096.0;

vec4 texel(sampler2D source, int at) {
    int across = textureSize(source, 0).x;
    return texelFetch(source, ivec2(at % across, at / across), 0);
}

// A time of an animation: two poses next to each other, and the weight of the second one.
struct Moment { int first; float part; };

// Two animations: the weight of the newer one is `share`.
struct Playing { Moment newer; Moment older; float share; };

// What a frame draws: a blend of two states, or one state if the time between both is enough.
struct Drawn { Playing first; Playing second; float share; };

Moment moment_of(int animation, float seconds) {
    vec4 rows = texel(baked_data, animation);  // first pose, poses per second, length in poses, poses from one time to the next
    float at = clamp(seconds * rows.y, 0.0, rows.z);
    float interval = min(floor(at), max(ceil(rows.z) - 1.0, 0.0));
    float size = min(rows.z - interval, 1.0);
    return Moment(int(rows.x + interval * rows.w), size > 0.0 ? (at - interval) / size : 0.0);
}

// A state has a code of the two animations, the time of each, and the weight of the newer one.
Playing playing_of(float coded, vec3 state) {
    float code = abs(coded) - 1.0, older = floor(code / ANIMATIONS);
    return Playing(moment_of(int(code - older * ANIMATIONS), state.x), moment_of(int(older), state.y), state.z);
}

Drawn drawn_of(int row) {
    vec4 before = texel(crowd_states, int(moment.y) + row), after = texel(crowd_states, int(moment.z) + row);
    Playing newest = playing_of(after.x, after.yzw);
    if (after.x > 0.0) {  // both states play the same, and only time has passed
        Playing between = playing_of(after.x, before.yzw + (after.yzw - before.yzw) * moment.x);
        return Drawn(between, between, 0.0);
    }
    return Drawn(playing_of(before.x, before.yzw), newest, moment.x);
}

// Return the number of this fragment: row * fragments_of_row + joint or weight. All textures of a crowd are equally wide.
int fragment_number() {
    return int(gl_FragCoord.y) * textureSize(crowd_states, 0).x + int(gl_FragCoord.x);
}
