// pose_crowd.glsl for a mesh with morph targets, whose weights crowd_weights.frag has computed.
#include "pose_crowd.glsl"
#include "morph_deltas.glsl"

uniform sampler2D crowd_weights;  // the morph weights of each row
uniform ivec2 weights_layout;     // weights of a row, number of the first weight of this mesh

void morph(inout vec3 place, inout vec3 normal, inout vec3 tangent) {
    int across = textureSize(crowd_weights, 0).x;
    for (int i = 0; i < morph_counts.x; ++i) {
        int at = crowd_row() * weights_layout.x + weights_layout.y + i;
        add_target(i, texelFetch(crowd_weights, ivec2(at % across, at / across), 0).x, place, normal, tangent);
    }
    normal /= max(length(normal), 1e-30);
}
