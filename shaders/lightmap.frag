// The map of the light, laid over what was drawn: blended with twice the product, so that light of up to 2 counts.
in vec2 v_place;

uniform sampler2D light;
uniform vec2 used;  // pixels of the map

out vec4 color;

void main() {
    vec2 texel = clamp(v_place * used, vec2(0.5), used - 0.5);
    color = vec4(0.5 * texture(light, texel / vec2(textureSize(light, 0))).rgb, 1.0);
}
