// Morph targets for meshes.vert: the sum of the targets, each times its weight; see framework/space/morphing.py.
#define MORPHED
uniform sampler2D morph_deltas;   // the changes of position, normal and tangent, for each target and vertex: texels
uniform sampler2D morph_weights;  // for each instance: index of the target, its weight before and after the tick
uniform ivec3 morph_counts;       // weights of an instance, vertices, texels of a vertex

vec3 delta(int number) {
    int across = textureSize(morph_deltas, 0).x;
    return texelFetch(morph_deltas, ivec2(number % across, number / across), 0).xyz;
}

void morph(inout vec3 place, inout vec3 normal, inout vec3 tangent) {
    int across = textureSize(morph_weights, 0).x;
    for (int i = 0; i < morph_counts.x; ++i) {
        int at = gl_InstanceID * morph_counts.x + i;
        vec3 one = texelFetch(morph_weights, ivec2(at % across, at / across), 0).xyz;
        float weight = one.y + (one.z - one.y) * alpha;
        if (weight == 0.0)
            continue;
        int first = (int(one.x) * morph_counts.y + gl_VertexID) * morph_counts.z;
        place += weight * delta(first);
        if (morph_counts.z > 1)
            normal += weight * delta(first + 1);
        if (morph_counts.z > 2)
            tangent += weight * delta(first + 2);
    }
    normal /= max(length(normal), 1e-30);
}
