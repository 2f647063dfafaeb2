// Computes the morph weights for the rows of a crowd. Each fragment is one weight of one row.
#include "crowd.glsl"

uniform sampler2D baked_weights;  // the weights of each pose, then for each animation which weights STEP keyframes set
uniform int first_step;

out float result;

float weight_at(Moment moment, int number) {
    float first = texel(baked_weights, moment.first * fragments_of_row + number).x;
    float second = texel(baked_weights, (moment.first + 1) * fragments_of_row + number).x;
    return first + (second - first) * moment.part;
}

float weight_of(Playing playing, int number) {
    float newer = weight_at(playing.newer, number), older = weight_at(playing.older, number);
    return older + (newer - older) * playing.share;
}

bool is_stepped(Moment moment, int number) {
    return texel(baked_weights, first_step + moment.animation * fragments_of_row + number).x > 0.5;
}

// Return whether a STEP keyframe changes a weight between two ticks.
bool jumps_between(Moment before, Moment after, int number) {
    return is_stepped(after, number) && abs(weight_at(before, number) - weight_at(after, number)) > 1e-5;
}

void main() {
    int number = fragment_number();
    int row = number / fragments_of_row, number_of_weight = number - row * fragments_of_row;
    if (row >= row_count)
        discard;
    Drawn drawn = drawn_of(row);
    float weight = weight_of(drawn.first, number_of_weight), after = weight_of(drawn.second, number_of_weight);
    bool jumps = is_stepped(drawn.second.newer, number_of_weight);
    if (drawn.apart) {
        weight += (after - weight) * drawn.share;
        if (drawn.fading && drawn.begins)
            jumps = jumps_between(drawn.first.newer, drawn.second.older, number_of_weight);
        else if (drawn.fading)
            jumps = jumps_between(drawn.first.newer, drawn.second.newer, number_of_weight)
                || jumps_between(drawn.first.older, drawn.second.older, number_of_weight);
    }
    result = jumps ? after : weight;
}
