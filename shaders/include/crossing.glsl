// Of a transition that lies over the new picture: what is left of the old one. `old` is it pixel by pixel; a transition
// has a function `vec4 over(vec2 place)`, whose alpha is how much of its colour hides the new picture.
uniform sampler2D old_picture;
uniform float progress;

vec3 old(vec2 place) {
    return texture(old_picture, place).rgb;  // not filtered
}
