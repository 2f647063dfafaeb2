// Draws the normals of sprites as directions on the screen: x to the right, y up, z to the viewer.
#include "sprite.glsl"

void main() {
    vec4 texel = image_color(v_texel);
    if (texel.a * edge_coverage() < 0.5)
        discard;
    vec3 normal = texel.rgb / texel.a * 2.0 - 1.0;
    // The directions of the image's axes on the screen: rotated, flipped and scaled like the sprite.
    mat2 axes = inverse(mat2(dFdx(v_texel), dFdy(v_texel)));
    normal.xy = normalize(axes[0]) * normal.x + normalize(axes[1]) * normal.y;
    color = vec4(normalize(normal) * 0.5 + 0.5, 1.0);
}
