// Computes how much of a soft lamp is visible, in the same steps as `soft_share` in framework/light2d/light2d_math.py.
// Include it after light2d_math.glsl, in a fragment shader with `shadows` and `v_lamp`.
const float SAMPLES = 256.0;
const int INNER_PARTS = 4;
const uint PATTERNS[33] = uint[33](
    0x00000000u, 0x00000001u, 0x00010001u, 0x00010101u, 0x01010101u, 0x01010111u, 0x01110111u, 0x01111111u, 0x11111111u,
    0x11111115u, 0x11151115u, 0x11151515u, 0x15151515u, 0x15151555u, 0x15551555u, 0x15555555u, 0x55555555u, 0x55555557u,
    0x55575557u, 0x55575757u, 0x57575757u, 0x57575777u, 0x57775777u, 0x57777777u, 0x77777777u, 0x7777777Fu, 0x777F777Fu,
    0x777F7F7Fu, 0x7F7F7F7Fu, 0x7F7F7FFFu, 0x7FFF7FFFu, 0x7FFFFFFFu, 0xFFFFFFFFu);

uniform int blocks;  // texels per list

uvec4 hidden_low, hidden_high;  // samples, one bit each

uvec4 below(ivec4 bits) {
    ivec4 half_of = bits >> 1;
    return ((uvec4(1u) << uvec4(half_of)) << uvec4(bits - half_of)) - 1u;
}

uint pattern(float level) {
    return PATTERNS[min(int(floor(level)), 32)];
}

// Hides the samples between two positions across the disc or, if inverted, all other samples.
void hide(float low, float high, bool inverted, float opacity) {
    ivec4 from = ivec4(int(ceil(low * SAMPLES - 0.5))), to = ivec4(int(ceil(high * SAMPLES - 0.5)));
    const ivec4 WORDS = ivec4(0, 32, 64, 96);
    uvec4 first = below(clamp(to - WORDS, 0, 32)) & ~below(clamp(from - WORDS, 0, 32));
    uvec4 second = below(clamp(to - WORDS - 128, 0, 32)) & ~below(clamp(from - WORDS - 128, 0, 32));
    uvec4 mask = uvec2(pattern(opacity * 32.0 + 0.25), pattern(opacity * 32.0 + 0.75)).xyxy;
    uvec4 all = inverted ? uvec4(~0u) : uvec4(0u);
    hidden_low |= (first ^ all) & mask;
    hidden_high |= (second ^ all) & mask;
}

float disc_share(float offset) {
    float x = abs(offset);
    float arc = sqrt(1.0 - x) * (1.5707288 + x * (-0.2121144 + x * (0.0742610 + x * -0.0187293)));
    float smaller = (arc - x * sqrt(1.0 - x * x)) / PI;
    return offset < 0.0 ? smaller : 1.0 - smaller;
}

float inside_share(float d, float softness, vec2 p) {
    p /= max(length(p), 1e-12);
    float end = d * p.x + sqrt(max(softness * softness - d * d * p.y * p.y, 0.0));
    return 0.5 + (atan(end * p.y, end * p.x - d) + d * end * p.y / (softness * softness)) / (2.0 * PI);
}

float across(vec2 a, vec2 b) {
    return a.x * b.y - a.y * b.x;
}

// The distances at which the rays through a wall's ends pass the lamp, in radii of the disc. For an end behind the point:
// the side on which the wall passes the point.
void offsets(float d, float softness, vec2 a, vec2 b, float turn, out float u, out float v) {
    u = a.x > 0.0 ? clamp(d * a.y / (softness * length(a)), -1.0, 1.0) : turn > 0.0 ? -1.0 : 1.0;
    v = b.x > 0.0 ? clamp(d * b.y / (softness * length(b)), -1.0, 1.0) : turn > 0.0 ? 1.0 : -1.0;
}

// Returns whether a wall may hide a part of the disc. For points on the wall, returns false: otherwise rounding errors
// would decide.
bool faces(float d, float softness, vec2 a, vec2 b, float turn) {
    vec2 low = min(a, b), high = max(a, b);
    return abs(turn) > 1e-5 * (d + softness) * length(b - a) && low.x <= d + softness
        && high.x >= min(d - softness, 0.0) && low.y <= softness && high.y >= -softness;
}

// Hides the samples behind a wall. Its ends are relative to the point, with the lamp at distance `d` along +x. The wall is
// divided into pieces. For points inside the disc, pieces outside the disc hide nothing.
void hide_wall(float d, float softness, vec2 start, vec2 end, float depth) {
    vec2 side = end - start, to_lamp = vec2(d - start.x, -start.y);
    float length2 = dot(side, side), offset = across(side, to_lamp);
    float half2 = softness * softness - offset * offset / length2;
    float middle = dot(to_lamp, side) / length2, half_piece = sqrt(max(half2, 0.0) / length2);
    float low = clamp(middle - half_piece, 0.0, 1.0), high = clamp(middle + half_piece, 0.0, 1.0);
    bool cut = low < high, inside = d <= softness;
    int pieces = !faces(d, softness, start, end, across(start, end)) ? 0 : cut ? INNER_PARTS + 2 : 1;
    for (int piece = 0; piece < pieces; piece++) {
        bool inner = cut && piece < INNER_PARTS;
        float first = low + (high - low) * (float(piece) / float(INNER_PARTS));
        float last = low + (high - low) * (float(piece + 1) / float(INNER_PARTS));
        if (!inner) {
            first = piece == INNER_PARTS + 1 ? high : 0.0;
            last = piece == INNER_PARTS ? low : 1.0;
        }
        vec2 a = mix(start, end, first), b = mix(start, end, last), between = 0.5 * (a + b);
        float turn = across(a, b), u, v;
        offsets(d, softness, a, b, turn, u, v);
        float sine = 0.5 * (u + v) * softness / max(d, 1e-12), cosine = sqrt(max(1.0 - sine * sine, 0.0));
        float apart = turn / (cosine * (b.y - a.y) - sine * (b.x - a.x));
        float opacity = apart > 0.0 && apart < d * cosine && (a.x > 0.0 || b.x > 0.0) && !inside ? 1.0 : 0.0;
        if (inner) {
            apart = max(length(between), 1e-12);
            between /= apart;
            float root = sqrt(max(softness * softness - d * d * between.y * between.y, 0.0));
            float far = d * between.x + root, near = max(d * between.x - root, 0.0);
            opacity = clamp((far * far - apart * apart) / max(far * far - near * near, 1e-12), 0.0, 1.0);
        }
        opacity *= depth > 0.0 ? clamp(apart / depth, 0.0, 1.0) : 1.0;
        float from = inside ? inside_share(d, softness, turn < 0.0 ? b : a) : disc_share(min(u, v));
        float to = inside ? inside_share(d, softness, turn < 0.0 ? a : b) : disc_share(max(u, v));
        hide(min(from, to), max(from, to), inside && from > to, first < last ? opacity : 0.0);
    }
}

int bits_in(uvec4 bits) {
    bits -= (bits >> 1) & 0x55555555u;
    bits = (bits & 0x33333333u) + ((bits >> 2) & 0x33333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0Fu;
    bits = (bits * 0x01010101u) >> 24;
    return int(bits.x + bits.y + bits.z + bits.w);
}

// Returns the next group of a list: its first wall, and the index after its last wall.
ivec2 next_group(int block, inout uint bits) {
    uint lowest = bits & (~bits + 1u);
    bits ^= lowest;
    int group = block * GROUP_BITS + int(floatBitsToUint(float(lowest)) >> 23) - 127;
    int box = group - standing_groups;
    int first = box < 0 ? group * group_size : first_box_wall + 4 * box;
    return ivec2(first, box < 0 ? min(first + group_size, standing) : first + 4);
}

vec4 wall_texel(int texel) {
    return texelFetch(shadows, ivec2(texel & (BINS - 1), wall_row + texel / BINS), 0);
}

// Adds an interval to one of two disjoint intervals. Returns false if it joins neither and both are in use.
bool join(inout vec2 one, inout vec2 two, vec2 added) {
    const float GAP = 1e-4;
    bool to_one = (added.x <= one.y + GAP && added.y >= one.x - GAP) || one.x > one.y;
    bool to_two = !to_one && ((added.x <= two.y + GAP && added.y >= two.x - GAP) || two.x > two.y);
    one = to_one ? vec2(min(one.x, added.x), max(one.y, added.y)) : one;
    two = to_two ? vec2(min(two.x, added.x), max(two.y, added.y)) : two;
    bool meet = two.x <= one.y + GAP && two.y >= one.x - GAP;
    one = meet ? vec2(min(one.x, two.x), max(one.y, two.y)) : one;
    two = meet ? vec2(2.0, -2.0) : two;
    return to_one || to_two;
}

float hidden_between(vec2 interval) {
    return interval.x <= interval.y ? disc_share(interval.y) - disc_share(interval.x) : 0.0;
}

float soft_share(vec2 away, float d, float toward, float softness) {
    int direction = clamp(int(floor((toward / (2.0 * PI) + 0.5) * float(directions))), 0, directions - 1);
    int per_row = BINS / directions;
    vec4 place = texelFetch(lamps, ivec2(v_lamp, 0), 0).xyxy + away.xyxy;
    vec2 front = d > 0.0 ? -away / d : vec2(1.0, 0.0);
    mat2 turned = mat2(front.x, -front.y, front.y, front.x);
    // For most points, one or two intervals are hidden, and no wall is inside the disc or lets light in. Samples are
    // computed only for the other points, because a software renderer executes both branches of a condition.
    vec2 one = vec2(2.0, -2.0), two = one;
    bool simple = true;
    for (int block = 0; block < blocks; block++) {
        ivec2 at = ivec2(block % per_row * directions + direction, v_lamp * lamp_rows + block / per_row);
        uint bits = uint(texelFetch(shadows, at, 0).a);
        while (bits != 0u) {
            ivec2 group = next_group(block, bits);
            for (int wall = group.x; wall < group.y; wall++) {
                vec4 ends = wall_texel(2 * wall) - place;
                vec2 a = turned * ends.xy, b = turned * ends.zw;
                float turn = across(a, b);
                if (faces(d, softness, a, b, turn)) {
                    float u, v;
                    offsets(d, softness, a, b, turn, u, v);
                    vec2 side = b - a, to_lamp = vec2(d - a.x, -a.y);
                    float offset = across(side, to_lamp), length2 = dot(side, side);
                    // If the line of a wall misses the disc, the wall hides it from points on the other side of the
                    // line. Otherwise the wall may cut the disc, unless it is in front of it.
                    bool is_clear = offset * offset > softness * softness * length2;
                    if (u != v && (!is_clear || turn * offset < 0.0)) {
                        vec2 nearest = to_lamp - clamp(dot(to_lamp, side) / length2, 0.0, 1.0) * side;
                        bool alone = is_clear || max(a.x, b.x) < d - softness;
                        bool cuts = dot(nearest, nearest) < 1.0001 * softness * softness;
                        alone = alone || (!cuts && d > softness);
                        float sine = 0.5 * (u + v) * softness / d, cosine = sqrt(max(1.0 - sine * sine, 0.0));
                        float apart = turn / (cosine * side.y - sine * side.x);
                        bool before = is_clear || cuts || (apart > 0.0 && apart < d * cosine);
#ifdef DEEP
                        alone = alone && apart >= wall_texel(2 * wall + 1).x;  // otherwise some light passes
#endif
                        simple = (!before || (alone && join(one, two, vec2(min(u, v), max(u, v))))) && simple;
                    }
                }
            }
        }
    }
    if (simple)
        return 1.0 - hidden_between(one) - hidden_between(two);
    hidden_low = hidden_high = uvec4(0u);
    for (int block = 0; block < blocks; block++) {
        ivec2 at = ivec2(block % per_row * directions + direction, v_lamp * lamp_rows + block / per_row);
        uint bits = uint(texelFetch(shadows, at, 0).a);
        while (bits != 0u) {
            ivec2 group = next_group(block, bits);
            for (int wall = group.x; wall < group.y; wall++) {
                vec4 ends = wall_texel(2 * wall) - place;
#ifdef DEEP
                float depth = wall_texel(2 * wall + 1).x;
#else
                float depth = 0.0;
#endif
                hide_wall(d, softness, turned * ends.xy, turned * ends.zw, depth);
            }
        }
    }
    return 1.0 - float(bits_in(hidden_low) + bits_in(hidden_high)) / SAMPLES;
}
