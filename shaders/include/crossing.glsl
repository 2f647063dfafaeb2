// Base of a transition that is drawn over the new image. `old` is the pixel of the old image. The transition has a function
// `vec4 over(vec2 place)`, whose alpha is the opacity of its color over the new image.
uniform sampler2D old_picture;
uniform float progress;

vec3 old(vec2 place) {
    return texture(old_picture, place).rgb;  // not filtered
}
