// The normals of sprites, as the picture has them: x to its right, y up, z towards whoever looks at it.
#include "sprite.glsl"

void main() {
    vec4 texel = image_color(v_texel);
    if (texel.a * edge_coverage() < 0.5)
        discard;
    vec3 normal = texel.rgb / texel.a * 2.0 - 1.0;
    // Where the image's own axes lie in the picture: turned, mirrored and scaled as it is drawn.
    mat2 place = inverse(mat2(dFdx(v_texel), dFdy(v_texel)));
    normal.xy = normalize(place[0]) * normal.x + normalize(place[1]) * normal.y;
    color = vec4(normalize(normal) * 0.5 + 0.5, 1.0);
}
