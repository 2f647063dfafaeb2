// The base of effects and transitions: one pass over the image, `place` from 0 to 1 from the bottom left corner.
in vec2 v_place;

out vec4 color;

uniform vec2 size;   // size of the image in pixels
uniform vec2 units;  // size of the image in the game's units
uniform float time;  // simulated seconds, interpolated
