// A pose for meshes.vert: a vertex follows up to four joints of its row, whose matrices crowd_joints.frag has computed.
#define pose instance_pose
#include "pose_columns.glsl"
#undef pose

uniform sampler2D joint_x;  // the columns of the joint matrices, for row vectors: all joints of row 0, then of row 1, …
uniform sampler2D joint_y;
uniform sampler2D joint_z;
uniform usampler2D bones;   // for each vertex: four joints, and the bits of their four weights
uniform int joint_count;
uniform bool crowd_picked;  // whether in_visible is the index of a row plus 1, because some rows are left out

int crowd_row() {
    return crowd_picked ? int(in_visible) - 1 : gl_InstanceID;
}

uvec4 bone(int at) {
    int across = textureSize(bones, 0).x;
    return texelFetch(bones, ivec2(at % across, at / across), 0);
}

void add_joint(inout vec4 x, inout vec4 y, inout vec4 z, uint joint, float weight) {
    if (weight == 0.0)
        return;
    int at = crowd_row() * joint_count + int(joint), across = textureSize(joint_x, 0).x;
    ivec2 texel = ivec2(at % across, at / across);
    x += texelFetch(joint_x, texel, 0) * weight;
    y += texelFetch(joint_y, texel, 0) * weight;
    z += texelFetch(joint_z, texel, 0) * weight;
}

mat4x3 pose() {
    if (in_visible == 0u)
        return mat4x3(0.0);
    uvec4 joints = bone(2 * gl_VertexID);
    vec4 weights = uintBitsToFloat(bone(2 * gl_VertexID + 1));
    vec4 x = vec4(0.0), y = vec4(0.0), z = vec4(0.0);
    add_joint(x, y, z, joints.x, weights.x);
    add_joint(x, y, z, joints.y, weights.y);
    add_joint(x, y, z, joints.z, weights.z);
    add_joint(x, y, z, joints.w, weights.w);
    mat4x3 model = instance_pose();
    mat3 turn = mat3(model);
    return mat4x3(turn * vec3(x.x, y.x, z.x), turn * vec3(x.y, y.y, z.y), turn * vec3(x.z, y.z, z.z),
        turn * vec3(x.w, y.w, z.w) + model[3]);
}
