// pose_skin.glsl for a mesh with morph targets.
#include "morph.glsl"
#include "pose_skin.glsl"
