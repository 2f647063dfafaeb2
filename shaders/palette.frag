// Each texel in the nearest colour of a palette; with dither, in one of the two that it lies between. What is translucent,
// or adds its light to what is in pictures below this one, covers all of a texel or nothing; with dither, in a pattern.
uniform sampler2D picture;
uniform sampler2D palette;  // a row of colours
uniform int count;
uniform float dither;       // 0 to 1: how far the pattern of 4×4 texels takes a colour to the next one

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
    vec3 wanted = drawn.rgb / cover + dither * pattern / sqrt(float(count));
    float least = 1e9;
    for (int i = 0; i < count; i++) {
        vec3 known = texelFetch(palette, ivec2(i, 0), 0).rgb;
        vec3 away = (known - wanted) * vec3(0.55, 0.77, 0.33);  // eyes see green best
        float distance = dot(away, away);
        if (distance < least) {
            least = distance;
            color = vec4(known, 1.0);
        }
    }
}
