// A pose for meshes.vert: a model matrix for row vectors, written in each frame, relative to the eye.
in vec4 in_model_0;  // the rows of the matrix, without their fourth numbers
in vec4 in_model_1;
in vec4 in_model_2;
in vec4 in_model_3;

mat4x3 pose() {
    return mat4x3(in_model_0.xyz, in_model_1.xyz, in_model_2.xyz, in_model_3.xyz);
}
