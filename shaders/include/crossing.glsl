// For a transition over the new image: `old` is the pixel of the old image. The transition has a function
// `vec4 over(vec2 place)`, whose alpha is how much of its color hides the new image.
uniform sampler2D old_picture;
uniform float progress;

vec3 old(vec2 place) {
    return texture(old_picture, place).rgb;  // not filtered
}
