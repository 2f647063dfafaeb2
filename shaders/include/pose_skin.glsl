// A pose for meshes.vert: a vertex follows up to four joints, by its weights.
in uvec4 in_joints;
in vec4 in_weights;

uniform sampler2D joint_matrices;  // four texels per matrix, one instance after another: the rows of a matrix for row vectors
uniform int joint_count;

mat4 joint(uint number) {
    int at = gl_InstanceID * joint_count + int(number), across = textureSize(joint_matrices, 0).x / 4;
    ivec2 texel = ivec2(at % across * 4, at / across);
    return mat4(texelFetch(joint_matrices, texel, 0), texelFetch(joint_matrices, texel + ivec2(1, 0), 0),
        texelFetch(joint_matrices, texel + ivec2(2, 0), 0), texelFetch(joint_matrices, texel + ivec2(3, 0), 0));
}

mat4x3 pose() {
    return mat4x3(joint(in_joints.x) * in_weights.x + joint(in_joints.y) * in_weights.y
        + joint(in_joints.z) * in_weights.z + joint(in_joints.w) * in_weights.w);
}
