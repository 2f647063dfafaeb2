// Draws the depth of a surface as seen from the sun. Holes in the material are also holes in the shadow.
#include "material.glsl"

#ifdef ALPHA_MASK
in vec2 v_uv;
in vec4 v_color;
#ifdef SECOND_UV
in vec2 v_second_uv;
#else
#define v_second_uv v_uv
#endif
#endif

void main() {
#ifdef ALPHA_MASK
    float alpha = base_color.a * v_color.a;
#ifdef BASE_TEXTURE
    alpha *= texel_of(base_texture, 0, v_uv, v_second_uv).a;
#endif
    if (alpha < alpha_cutoff)
        discard;
#endif
}
