// The shadows of walls: one instance is a lamp, its vertices go through all walls.
#include "lamp_shadow.glsl"

uniform sampler2D walls;  // two texels a wall: its ends; its depth

void main() {
    int texel = gl_VertexID / 12 * 2, width = textureSize(walls, 0).x;
    ivec2 at = ivec2(texel % width, texel / width);
    float depth = texelFetch(walls, at + ivec2(1, 0), 0).x;
    put_stripe(texelFetch(walls, at, 0), depth, gl_InstanceID, gl_VertexID % 12, true);
}
