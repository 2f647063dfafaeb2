// The beginning of every step of a `PingPong`. framework/gpu/fullscreen.py includes it before your code.
//
//     vec4 following(vec2 place) { return 0.99 * last(place); }
// `last(place)` returns the image before this step at a position, and `size` is its width and height.
in vec2 v_place;

out vec4 color;

uniform vec2 size;
uniform sampler2D source;

vec4 last(vec2 place) {
    return texture(source, place);
}

vec4 following(vec2 place);

void main() {
    color = following(v_place);
}
