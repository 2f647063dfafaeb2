// Morph targets for meshes.vert: adds the targets, each multiplied by its weight. See framework/space/morphing.py.
#include "morph_deltas.glsl"
uniform sampler2D morph_weights;  // for each instance: index of the target, its weight before and after the tick

void morph(inout vec3 place, inout vec3 normal, inout vec3 tangent) {
    int across = textureSize(morph_weights, 0).x;
    for (int i = 0; i < morph_counts.x; ++i) {
        int at = gl_InstanceID * morph_counts.x + i;
        vec3 one = texelFetch(morph_weights, ivec2(at % across, at / across), 0).xyz;
        float weight = one.y + (one.z - one.y) * alpha;
        add_target(int(one.x), weight, place, normal, tangent);
    }
    normal /= max(length(normal), 1e-30);
}
