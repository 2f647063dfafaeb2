// Which frame of a clip is shown: whole numbers only, the same as framework/state/timelines.py computes from the same
// columns; a test holds the two equal. A product with the time is taken modulo 2^64, in which a loop is a full turn.
uniform uvec2 clip_ahead;      // how far the clips' time is ahead of the frame's, modulo 2^64: low half, high half

in ivec4 in_clip_motion_turn;  // what a flick adds (low half, high half), what is taken off, the first step
in int in_clip_motion_steps;   // how many steps; negative: plays once

// The high half of a product: 32 bits times 32.
uint high_product(uint a, uint b) {
    uint low_a = a & 0xFFFFu, high_a = a >> 16, low_b = b & 0xFFFFu, high_b = b >> 16;
    uint middle = high_a * low_b + (low_a * low_b >> 16);
    uint other = low_a * high_b + (middle & 0xFFFFu);
    return high_a * high_b + (middle >> 16) + (other >> 16);
}

// The number of what is shown among steps and images; `image` is the one of a row that plays nothing.
int shown_region(int image) {
    uvec3 motion = uvec3(in_clip_motion_turn.xyz);
    uint steps = uint(in_clip_motion_steps) & 0x7FFFFFFFu;
    uint low = flicks.x + clip_ahead.x, high = flicks.y + clip_ahead.y + uint(low < clip_ahead.x);
    uint phase = high_product(low, motion.x) + low * motion.y + high * motion.x - motion.z;
    if (in_clip_motion_steps < 0)
        phase = min(phase, 0xFFFFu) << 16;  // at its end it stays
    uint at = ((phase >> 16) * steps + ((phase & 0xFFFFu) * steps >> 16)) >> 16;
    return in_clip_motion_turn.w + (steps == 0u ? image : int(at));
}
