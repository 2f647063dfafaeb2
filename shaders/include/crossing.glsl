// The base of transitions that are drawn over the new image. `old` returns a pixel of the old image. A transition
// defines a function `vec4 over(vec2 place)`, whose alpha is the opacity of its color over the new image.
uniform sampler2D old_picture;
uniform float progress;

vec3 old(vec2 place) {
    return texture(old_picture, place).rgb;  // not filtered
}
