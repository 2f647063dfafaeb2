// Computes the current frame of an animation clip, with integers only. framework/motion/clip_timelines.py computes the
// same from the same columns, and a test compares the two. Products with the time are taken modulo 2^64, which is one
// loop of a clip.
uniform uvec2 clip_ahead;      // the clips' time minus the frame's time, modulo 2^64: low half, high half

in ivec4 in_clip_motion_turn;  // clip time per flick (low half, high half), the subtracted time, the first step
in int in_clip_motion_steps;   // number of steps; negative: plays once

// Return the high half of a product of two 32-bit numbers.
uint high_product(uint a, uint b) {
    uint low_a = a & 0xFFFFu, high_a = a >> 16, low_b = b & 0xFFFFu, high_b = b >> 16;
    uint middle = high_a * low_b + (low_a * low_b >> 16);
    uint other = low_a * high_b + (middle & 0xFFFFu);
    return high_a * high_b + (middle >> 16) + (other >> 16);
}

// Return the index among steps and images. `image` is the index for a row that plays no clip.
int shown_region(int image) {
    uvec3 motion = uvec3(in_clip_motion_turn.xyz);
    uint steps = uint(in_clip_motion_steps) & 0x7FFFFFFFu;
    uint low = flicks.x + clip_ahead.x, high = flicks.y + clip_ahead.y + uint(low < clip_ahead.x);
    uint phase = high_product(low, motion.x) + low * motion.y + high * motion.x - motion.z;
    if (in_clip_motion_steps < 0)
        phase = min(phase, 0xFFFFu) << 16;  // a clip that plays once stays at its end
    uint at = ((phase >> 16) * steps + ((phase & 0xFFFFu) * steps >> 16)) >> 16;
    return in_clip_motion_turn.w + (steps == 0u ? image : int(at));
}
