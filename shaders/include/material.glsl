// The numbers and textures of a material; framework/space/surfaces.py packs them. Those that it has are in the defines.
layout(std140) uniform Material {
    vec4 base_color;
    vec3 emissive;
    float alpha_cutoff;
    float metallic;
    float roughness;
    float normal_scale;
    float occlusion_strength;
};

uniform sampler2D base_texture;                // sRGB
uniform sampler2D metallic_roughness_texture;  // roughness in green, metallic in blue
uniform sampler2D normal_texture;
uniform sampler2D occlusion_texture;           // in red
uniform sampler2D emissive_texture;            // sRGB
