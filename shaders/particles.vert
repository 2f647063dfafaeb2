// Each instance is one particle, which is drawn like a sprite. Between two ticks, a frame changes only `alpha`.
#include "frame.glsl"
#include "particle_motion.glsl"
#include "sprite_corner.glsl"

in vec2 in_position;     // position at birth
in vec2 in_velocity;  // velocity at birth
in uint in_born;
in uint in_seed;
in float in_lifetime;     // lifetime in seconds
in float in_scale;
in vec2 in_rotation;      // angle, angular velocity
in vec4 in_tint;      // straight alpha

void main() {
    float age = age_of(in_born, alpha), share = age / in_lifetime;
    vec2 position = in_position + moved(vec3(in_velocity, 0.0), in_seed, age).xy;
    float angle = in_rotation.x + in_rotation.y * age;
#ifdef ALIGN
    vec2 direction = velocity_at(vec3(in_velocity, 0.0), age).xy;
    angle += dot(direction, direction) > 0.0 ? atan(direction.y, direction.x) : 0.0;
#endif
    int image = int(in_seed % uint(image_count));
    vec2 sides = image_size(image);
    vec2 scale = vec2(size_at(share) * in_scale / max(sides.x, sides.y)) * vec2(tumbled(in_seed, age), 1.0);
    vec4 tint = color_at(share) * in_tint;
    bool visible = alive(age, in_lifetime) && tint.a > 0.0;
    put_corner(position, angle, scale, image, bvec2(false), tint, visible);
}
