// A vertex shader of your own within that of sprites; framework/plane/hooked.py has it, beside this:
//
//     in float in_phase;      // a column of yours
//     uniform float strength; // one of the batch's uniforms
//     void vertex(vec2 place, vec2 corner, inout vec2 shift, inout vec4 tint) {
//         shift.x += corner.y * strength * sin(time + in_phase);
//         tint.rgb *= 0.5 + 0.5 * corner.y;
//     }
//
// It is called for each of a sprite's four corners: `place` is where that is in the world at this moment, in units;
// `corner` which one it is, from (0, 0) at the bottom left of the sprite to (1, 1) at the top right; `shift`, in units,
// is added to its place; `tint` is the sprite's colour, sRGB with straight alpha. Beside it there is frame.glsl.
void vertex(vec2 place, vec2 corner, inout vec2 shift, inout vec4 tint);
