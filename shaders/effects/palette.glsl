uniform float dither;
uniform float dither_cell;
uniform float palette_step;
uniform sampler2D palette_table;

// The thresholds of a 4×4 Bayer matrix, from -0.5 to 0.5.
float bayer(vec2 cell) {
    vec2 high = mod(cell, 2.0), low = mod(floor(cell * 0.5), 2.0);
    float coarse = mod(2.0 * high.x + 3.0 * high.y, 4.0), fine = mod(2.0 * low.x + 3.0 * low.y, 4.0);
    return (4.0 * coarse + fine + 0.5) / 16.0 - 0.5;
}

vec4 effect(vec2 place) {
    vec3 dithered = picture(place).rgb;
    dithered = clamp(dithered + dither * palette_step * bayer(floor(place * units / dither_cell)), 0.0, 1.0);
    ivec3 level = ivec3(dithered * 31.0 + 0.5);  // 32 levels of each channel; the squares of blue lie side by side
    return vec4(texelFetch(palette_table, ivec2(level.r + 32 * level.b, level.g), 0).rgb, 1.0);
}
