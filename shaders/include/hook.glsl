// Runs a function of the game in the vertex shader of sprites. framework/plane/vertex_sprites.py includes this file
// together with your code, for example:
//
//     in float in_phase;      // a column of yours
//     uniform float strength; // one of the batch's uniforms
//     void vertex(vec2 place, vec2 corner, inout vec2 shift, inout vec4 tint) {
//         shift.x += corner.y * strength * sin(time + in_phase);
//         tint.rgb *= 0.5 + 0.5 * corner.y;
//     }
// `vertex` is called for each of a sprite's four corners. `place` is the corner's current position in the world, in
// units. `corner` identifies it, from (0, 0) at the bottom left of the sprite to (1, 1) at the top right. `shift`, in
// units, is added to its position. `tint` is the sprite's color, sRGB with straight alpha. frame.glsl is included too.
void vertex(vec2 place, vec2 corner, inout vec2 shift, inout vec4 tint);
