// The uniform block of a frame, which every program uses. It is written once per camera and frame
// (framework/plane/camera2d.py packs it). pyglet uses binding 0, so this block uses binding 1.
layout(std140) uniform Frame {
    mat4 view_projection;  // world units to clip space
    vec2 viewport;         // framebuffer pixels
    vec2 pixels_per_unit;  // framebuffer pixels in a world unit, camera zoom included
    float alpha;           // time since the last tick, in ticks: 0 to 1
    float time;            // simulated seconds, interpolated
    vec2 eye;              // the world point at the center of a 2D view
    uvec2 flicks;          // a time of clips: low half, high half; see clip.glsl
    float still;           // 1 if a 2D camera does not move in this tick, otherwise 0
};
