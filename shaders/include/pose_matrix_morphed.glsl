// pose_matrix.glsl for a mesh with morph targets.
#include "morph.glsl"
#include "pose_matrix.glsl"
