// What a frame in space has in common, for every program: one uniform block, written once per camera and frame.
// framework/space/camera3d.py packs it. Its beginning is the block of frame.glsl.
layout(std140) uniform Frame {
    mat4 view_projection;  // world units, less the eye, to clip space
    vec2 viewport;         // framebuffer pixels
    vec2 pixels_per_unit;  // framebuffer pixels in a unit of the HUD
    float alpha;           // how far the clock is past the last tick, in ticks, 0 to 1
    float time;            // simulated seconds, interpolated
    vec2 unused;
    mat4 view;             // world units, less the eye, to the camera's: a rotation
    vec4 eye_cell;         // where the camera is: whole cells; near
    vec4 eye_rest;         // and the rest, units; far
};
const float CELL = 1024.0;

// From the camera to a place that is `position` away from whole cells: exact near the camera, wherever it is.
vec3 from_eye(vec3 position, vec3 cell) {
    return (position + (cell - eye_cell.xyz) * CELL) - eye_rest.xyz;
}
