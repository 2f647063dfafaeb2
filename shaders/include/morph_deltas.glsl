// Morph targets for meshes.vert: reads how each target moves a vertex. See framework/space/morphing.py.
#define MORPHED
uniform sampler2D morph_deltas;  // the changes of position, normal and tangent, for each target and vertex: texels
uniform ivec3 morph_counts;      // weights of an instance, vertices, texels of a vertex

vec3 delta(int number) {
    int across = textureSize(morph_deltas, 0).x;
    return texelFetch(morph_deltas, ivec2(number % across, number / across), 0).xyz;
}

void add_target(int target, float weight, inout vec3 place, inout vec3 normal, inout vec3 tangent) {
    if (weight == 0.0)
        return;
    int first = (target * morph_counts.y + gl_VertexID) * morph_counts.z;
    place += weight * delta(first);
    if (morph_counts.z > 1)
        normal += weight * delta(first + 1);
    if (morph_counts.z > 2)
        tangent += weight * delta(first + 2);
}
