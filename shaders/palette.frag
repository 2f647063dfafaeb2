// Draws each texel in the nearest color of a palette or, with dither, in one of the two nearest colors. A color that
// is translucent, or that adds light to the layers below, covers either the whole texel or nothing of it. With dither,
// the covered texels form a pattern.
uniform sampler2D picture;
uniform sampler2D palette;  // a row of colors
uniform int count;
uniform float dither;       // 0 to 1: how far the pattern of 4×4 texels moves a color towards the next color

out vec4 color;

const mat4 PATTERN = mat4(0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5) / 16.0;

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    vec4 drawn = texelFetch(picture, texel, 0);
    color = vec4(0.0);
    float pattern = PATTERN[texel.x & 3][texel.y & 3] - 0.46875;
    float cover = max(drawn.a, max(drawn.r, max(drawn.g, drawn.b)));
    if (cover < 0.5 + dither * pattern)
        return;
    vec3 dithered = drawn.rgb / cover + dither * pattern / sqrt(float(count));
    float best = 1e9;
    for (int i = 0; i < count; i++) {
        vec3 entry = texelFetch(palette, ivec2(i, 0), 0).rgb;
        vec3 difference = (entry - dithered) * vec3(0.55, 0.77, 0.33);  // eyes are most sensitive to green
        float distance = dot(difference, difference);
        if (distance < best) {
            best = distance;
            color = vec4(entry, 1.0);
        }
    }
}
