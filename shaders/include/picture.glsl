// What effects and transitions stand upon: one pass over the picture, `place` from 0 to 1 from its bottom left corner.
in vec2 v_place;

out vec4 color;

uniform vec2 size;   // of the picture, in its own pixels
uniform vec2 units;  // of the picture, in units, as the game counts
uniform float time;  // simulated seconds, interpolated
