// The uniform block of a 3D frame, which every program uses. It is written once per camera and frame
// (framework/space/camera3d.py packs it). It begins with the block of frame.glsl.
layout(std140) uniform Frame {
    mat4 view_projection;  // world units relative to the eye, to clip space
    vec2 viewport;         // framebuffer pixels
    vec2 pixels_per_unit;  // framebuffer pixels in a unit of the HUD
    float alpha;           // time since the last tick, in ticks: 0 to 1
    float time;            // simulated seconds, interpolated
    vec2 unused;
    mat4 view;             // world units relative to the eye, to the camera's space: a rotation
    vec4 eye_cell;         // position of the camera in whole cells; near
    vec4 eye_rest;         // the rest of the position in units; far
};
const float CELL = 1024.0;

// Return the vector from the camera to a point that is given by whole cells and a `position` from there: exact near the
// camera, anywhere in the world.
vec3 from_eye(vec3 position, vec3 cell) {
    return (position + (cell - eye_cell.xyz) * CELL) - eye_rest.xyz;
}
