// Multiplies the screen by the light map. Blending doubles the product, so light values up to 2 have an effect.
in vec2 v_place;

uniform sampler2D light;
uniform vec2 used;  // how many pixels of the map are used

out vec4 color;

void main() {
    vec2 texel = clamp(v_place * used, vec2(0.5), used - 0.5);
    color = vec4(0.5 * texture(light, texel / vec2(textureSize(light, 0))).rgb, 1.0);
}
