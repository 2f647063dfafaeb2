// The animations that the rows of a crowd are playing, for the shaders that compute their poses. Each fragment is one
// joint or one morph weight of one row. framework/models/baked_animations.py computes the same poses on the CPU.
#include "pose3d.glsl"

uniform sampler2D baked_data;     // texels one after another: animations, nodes, joints, poses
uniform sampler2D crowd_states;   // the state of each row: before the tick in one half, after it in the other
uniform vec3 moment;              // ticks since the last tick; first texel of the states before the tick, and after it
uniform int row_count;
uniform int fragments_of_row;

const float ANIMATIONS = 4096.0;

vec4 texel(sampler2D source, int at) {
    int across = textureSize(source, 0).x;
    return texelFetch(source, ivec2(at % across, at / across), 0);
}

// A time in an animation: two neighboring poses, and the weight of the second pose.
struct Moment { int animation; int first; float part; };

// Two animations: the weight of the newer one is `share`.
struct Playing { Moment newer; Moment older; float share; };

// The state that a frame draws: a blend of the states of two ticks if they are `apart`, otherwise the state `first` at
// a time between both. A value that a STEP keyframe has set in this tick changes to that of `second` immediately.
// `fading` is true while two animations are playing: then a keyframe sets a value only if the values of both states
// differ. An animation that `begins` in this tick sets no values.
struct Drawn { Playing first; Playing second; float share; bool apart; bool fading; bool begins; };

// Return the poses for a time. At the time of a tick, STEP values are those of this time, not those of the next pose.
Moment moment_of(int animation, float seconds, bool of_tick) {
    vec4 rows = texel(baked_data, animation);  // first pose, poses per second, length in poses, poses from one time to the next
    float at = clamp(seconds * rows.y, 0.0, rows.z);
    float last = max(ceil(rows.z) - 1.0, 0.0);
    float interval = min(floor(at), last);
    if (of_tick && rows.w > 1.5)
        interval = clamp(ceil(at - 1e-3 - at * 4e-7) - 1.0, -1.0, last);
    float size = min(rows.z - interval, 1.0);
    return Moment(animation, int(rows.x + interval * rows.w), size > 0.0 ? min((at - interval) / size, 1.0) : 0.0);
}

// A state contains a code for the two animations, the time of each animation, and the weight of the newer animation.
Playing playing_of(float coded, vec3 state, bool of_tick) {
    float code = abs(coded) - 1.0, older = floor(code / ANIMATIONS);
    Moment newer = moment_of(int(code - older * ANIMATIONS), state.x, of_tick);
    return Playing(newer, moment_of(int(older), state.y, of_tick), state.z);
}

Drawn drawn_of(int row) {
    vec4 before = texel(crowd_states, int(moment.y) + row), after = texel(crowd_states, int(moment.z) + row);
    Playing newest = playing_of(after.x, after.yzw, true);
    if (after.x > 0.0) {  // both states play the same animations, and only time has passed
        Playing between = playing_of(after.x, before.yzw + (after.yzw - before.yzw) * moment.x, false);
        return Drawn(between, newest, 0.0, false, false, false);
    }
    bool others = abs(before.x) != abs(after.x);
    bool fading = after.w < 1.0 || (before.w < 1.0 && !others);
    return Drawn(playing_of(before.x, before.yzw, true), newest, moment.x, true, fading, others || after.w < before.w);
}

// Return the number of this fragment: row * fragments_of_row + joint or weight. All textures of a crowd have the same
// width.
int fragment_number() {
    return int(gl_FragCoord.y) * textureSize(crowd_states, 0).x + int(gl_FragCoord.x);
}
