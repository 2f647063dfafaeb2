// Computes the joint matrices for the rows of a crowd (many animated copies of a model). Each fragment is one joint of
// one row: it multiplies the poses of the joint's node and of all nodes above it, as framework/space/models.py does on
// the CPU for each copy.
#include "crowd.glsl"

uniform ivec4 data_layout;  // first texel of the nodes, the joints and the poses; nodes of a pose

layout(location = 0) out vec4 x_column;  // the columns of a matrix for row vectors
layout(location = 1) out vec4 y_column;
layout(location = 2) out vec4 z_column;

struct Pose { vec3 position; vec4 rotation; vec3 scale; int steps; };  // steps: 1 position, 2 rotation, 4 scale

Pose mixed(Pose a, Pose b, float share) {
    return Pose(blend(a.position, b.position, share), slerp(a.rotation, b.rotation, share), blend(a.scale, b.scale, share),
        b.steps);
}

bool differ(vec4 a, vec4 b) { return any(greaterThan(abs(a - b), vec4(1e-5))); }

// Return which of the values that STEP keyframes set in b differ from the values in a.
int stepped(Pose a, Pose b) {
    int moved = differ(vec4(a.position, 0.0), vec4(b.position, 0.0)) ? 1 : 0;
    int turned = differ(a.rotation, b.rotation) ? 2 : 0;
    int scaled = differ(vec4(a.scale, 0.0), vec4(b.scale, 0.0)) ? 4 : 0;
    return b.steps & (moved | turned | scaled);
}

Pose baked_pose(int pose, int node) {
    int at = data_layout.z + (pose * data_layout.w + node) * 3;
    vec4 position = texel(baked_data, at), scale = texel(baked_data, at + 2);
    return Pose(position.xyz, texel(baked_data, at + 1), vec3(position.w, scale.xy), int(scale.z));
}

Pose pose_at(Moment moment, int node) {
    Pose first = baked_pose(moment.first, node);
    return moment.part > 0.0 ? mixed(first, baked_pose(moment.first + 1, node), moment.part) : first;
}

Pose pose_of(Playing playing, int node) {
    Pose newer = pose_at(playing.newer, node);
    return playing.share < 1.0 ? mixed(pose_at(playing.older, node), newer, playing.share) : newer;
}

Pose drawn_pose(Drawn drawn, int node) {
    Pose pose = pose_of(drawn.first, node);
    int steps = pose.steps;
    if (drawn.apart) {
        Pose after = pose_of(drawn.second, node);
        pose = drawn.share > 0.0 ? mixed(pose, after, drawn.share) : pose;
        steps = after.steps;
        if (drawn.fading) {
            Pose older = pose_at(drawn.second.older, node), newer = pose_at(drawn.second.newer, node);
            if (drawn.begins)
                steps = stepped(pose_at(drawn.first.newer, node), older);
            else
                steps = stepped(pose_at(drawn.first.newer, node), newer) | stepped(pose_at(drawn.first.older, node), older);
        }
    }
    if (steps == 0)
        return pose;
    Pose after = pose_of(drawn.second, node);
    return Pose((steps & 1) != 0 ? after.position : pose.position, (steps & 2) != 0 ? after.rotation : pose.rotation,
        (steps & 4) != 0 ? after.scale : pose.scale, steps);
}

void main() {
    int number = fragment_number();
    int row = number / fragments_of_row, joint = number - row * fragments_of_row;
    if (row >= row_count)
        discard;
    Drawn drawn = drawn_of(row);
    int at = data_layout.y + joint * 4;
    int node = int(texel(baked_data, at).x);
    vec4 x = texel(baked_data, at + 1), y = texel(baked_data, at + 2), z = texel(baked_data, at + 3);
    while (node >= 0) {
        Pose pose = drawn_pose(drawn, node);
        mat4x3 local = model_matrix(pose.position, normalized(pose.rotation), pose.scale);
        vec4 old_x = x, old_y = y, old_z = z;
        x = old_x * local[0].x + old_y * local[1].x + old_z * local[2].x;
        y = old_x * local[0].y + old_y * local[1].y + old_z * local[2].y;
        z = old_x * local[0].z + old_y * local[1].z + old_z * local[2].z;
        x.w += local[3].x;
        y.w += local[3].y;
        z.w += local[3].z;
        node = int(texel(baked_data, data_layout.x + node).x);
    }
    x_column = x;
    y_column = y;
    z_column = z;
}
