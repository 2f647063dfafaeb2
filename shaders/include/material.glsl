// The numbers and textures of a material; framework/space/surfaces.py packs them. Macros select the textures that exist.
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
    vec4 map_places[5];  // the offset; 1 if the map uses the second texture coordinates
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
