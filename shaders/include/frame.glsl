// What a frame has in common, for every program: one uniform block, written once per camera and frame.
// Binding 0 belongs to pyglet; ours is 1 (framework/plane/camera2d.py packs it).
layout(std140) uniform Frame {
    mat4 view_projection;  // world units to clip space
    vec2 viewport;         // framebuffer pixels
    vec2 pixels_per_unit;  // framebuffer pixels in a world unit, camera zoom included
    float alpha;           // how far the clock is past the last tick, in ticks, 0 to 1
    float time;            // simulated seconds, interpolated
    vec2 eye;              // the world point in the middle of a 2D camera's picture
    uvec2 flicks;          // a time of clips: low half, high half; see clip.glsl
};
