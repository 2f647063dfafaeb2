// One particle is one instance, drawn like a sprite. A frame between two ticks changes only `alpha`.
#include "frame.glsl"
#include "flight.glsl"
#include "sprite_corner.glsl"

in vec2 in_place;     // position at birth
in vec2 in_velocity;  // velocity at birth
in uint in_born;
in uint in_seed;
in float in_life;     // lifetime in seconds
in float in_scale;
in vec2 in_turn;      // angle, angular velocity
in vec4 in_tint;      // straight alpha

void main() {
    float age = age_of(in_born, alpha), share = age / in_life;
    vec2 place = in_place + moved(vec3(in_velocity, 0.0), in_seed, age).xy;
    float angle = in_turn.x + in_turn.y * age;
#ifdef ALIGN
    vec2 way = velocity_at(vec3(in_velocity, 0.0), age).xy;
    angle += dot(way, way) > 0.0 ? atan(way.y, way.x) : 0.0;
#endif
    int picture = int(in_seed % uint(pictures));
    vec2 sides = image_size(picture);
    vec2 scale = vec2(size_at(share) * in_scale / max(sides.x, sides.y)) * vec2(tumbled(in_seed, age), 1.0);
    vec4 tint = color_at(share) * in_tint;
    bool seen = alive(age, in_life) && tint.a > 0.0;
    put_corner(place, angle, scale, picture, bvec2(false), tint, seen);
}
