// The properties and textures of a material, which framework/space/surfaces.py packs. Macros select the textures that
// exist.
layout(std140) uniform Material {
    vec4 base_color;
    vec3 emissive;
    float alpha_cutoff;
    float metallic;
    float roughness;
    float normal_scale;
    float occlusion_strength;
#ifdef PLACED  // the placement of each texture, in the order below
    vec4 map_turns[5];   // the two columns of a matrix
    vec4 map_places[5];  // the offset; 1 if the map uses the second texture coordinates; the wrap modes, or -1 (texel_of)
#endif
};

uniform sampler2D base_texture;                // sRGB
uniform sampler2D metallic_roughness_texture;  // roughness in green, metallic in blue
uniform sampler2D normal_texture;
uniform sampler2D occlusion_texture;           // in red
uniform sampler2D emissive_texture;            // sRGB

// Return the texture coordinates for a texture, by its index in the order above: 0 for base_texture.
vec2 on_map(int map, vec2 uv, vec2 second_uv) {
#ifdef PLACED
    vec2 at = map_places[map].z > 0.5 ? second_uv : uv;
    return mat2(map_turns[map].xy, map_turns[map].zw) * at + map_places[map].xy;
#else
    return uv;
#endif
}

#ifdef FLAT_UV
// Return the texels of an image, 0 to size - 1, for texels that may be outside the image. Wrap modes: 0 repeat, 1
// mirror, 2 clamp.
float wrapped(float texel, float size, int mode) {
    float twice = mod(texel, 2.0 * size);
    float inside = mode == 0 ? mod(texel, size) : mode == 1 ? min(twice, 2.0 * size - 1.0 - twice) : texel;
    return clamp(inside, 0.0, size - 1.0);
}

// Return the color of an enlarged texture: the mean of the four nearest texels, by their distances.
vec4 enlarged(sampler2D image, vec2 at, int wraps) {
    vec2 size = vec2(textureSize(image, 0));
    vec2 place = at * size - 0.5;
    vec2 low = floor(place);
    vec2 share = place - low;
    vec4 rows[2];
    for (int y = 0; y < 2; y++) {
        float row = wrapped(low.y + float(y), size.y, wraps / 3);
        vec4 left = texelFetch(image, ivec2(wrapped(low.x, size.x, wraps % 3), row), 0);
        vec4 right = texelFetch(image, ivec2(wrapped(low.x + 1.0, size.x, wraps % 3), row), 0);
        rows[y] = mix(left, right, share.x);
    }
    return mix(rows[0], rows[1], share.y);
}
#endif

// Return the color of a texture; ``map`` is the index of ``image`` in the order above. Triangles that have no area in
// texture coordinates show one texel or one line of texels of a palette. Drivers that compute the anisotropic filter as
// an ellipse mix the texels of an enlarged image with their neighbors, even with textureLod. So for such meshes, the
// shader itself filters enlarged images.
vec4 texel_of(sampler2D image, int map, vec2 uv, vec2 second_uv) {
    vec2 at = on_map(map, uv, second_uv);
#ifdef FLAT_UV
    vec2 along = dFdx(at);
    vec2 across = dFdy(at);
    vec2 texels = (abs(along) + abs(across)) * vec2(textureSize(image, 0));  // for one pixel of the screen
    if (map_places[map].w >= 0.0 && max(texels.x, texels.y) < 1.0)
        return enlarged(image, at, int(map_places[map].w));
    return textureGrad(image, at, along, across);
#else
    return texture(image, at);
#endif
}
