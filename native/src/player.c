/* Plays the mix of a game in the thread of a sound device, without Python. The player copies samples from the ring
   buffer. If the ring buffer is empty because the game is busy for a long time, the player continues all voices with
   its own copy of the game's table. If the two mixes do not join seamlessly, they are crossfaded in 5 ms.
   framework/audio/player.py follows the same rules. */
#include "table.h"
#include "exports.h"
#include <stdatomic.h>
#include <string.h>

void mix_chunk(Table *t, int64_t first, int32_t count, float *left, float *right, float *scratch);
void limit_chunk(Table *t, int64_t first, int32_t count, float *left, float *right);

#define SLOTS 4
#define SOFT 240
#define MAX_CONTINUED 480000         /* how many frames a player continues without the game */
#define NO_TABLE INT64_MIN
#define MAX_VOICES 4608              /* room for rows, as in framework/audio/mix_table.py */
#define MAX_GROUPS 64
#define MAX_EFFECTS 256
enum { SILENT, RING, TABLE };

typedef struct {
    /* Set by Python before the player is used. */
    float *ring;
    int64_t size;
    Table *slots[SLOTS];
    Voice *voices;                   /* private rows, with room for all rows of any slot */
    Group *groups;
    Effect *effects;
    float *scratch;                  /* (groups, 2, CHUNK) */
    /* Written by the game in `subtick_publish`. `sequence` is odd while it is writing. */
    _Atomic int64_t sequence, written, hole, resume, current, previous;
    /* Written by the thread of the device. */
    _Atomic int64_t read, continued, missed, hazard;
    /* Private to the thread of the device. */
    int64_t seen_written, seen_hole, seen_resume, seen_current, seen_previous;
    int64_t table_id, went_on;
    int32_t mode, tail_at;           /* tail_at: the next frame of the tail, SOFT: no tail */
    Table now;
    float tail[SOFT][2], last[2];
    float block[2][CHUNK];
} Player;

EXPORT int64_t subtick_player_size(void) { return (int64_t)sizeof(Player); }

EXPORT void subtick_player_init(Player *p, float *ring, int64_t size, Table **slots, Voice *voices, Group *groups,
                                Effect *effects, float *scratch) {
    memset(p, 0, sizeof(Player));
    p->ring = ring;
    p->size = size;
    for (int i = 0; i < SLOTS; i++) p->slots[i] = slots[i];
    p->voices = voices;
    p->groups = groups;
    p->effects = effects;
    p->scratch = scratch;
    p->tail_at = SOFT;
    p->table_id = NO_TABLE;
    atomic_store(&p->current, NO_TABLE);
    atomic_store(&p->previous, NO_TABLE);
    atomic_store(&p->hazard, NO_TABLE);
    p->seen_current = p->seen_previous = NO_TABLE;
}

/* Called by the game: new samples are in the ring, and a new table is in a slot. A table's number is serial · SLOTS +
   slot. The ring is valid before frame `hole`, and from `resume` to `written`. The game keeps the memory of the tables
   `current`, `previous` and `hazard`. */
EXPORT void subtick_publish(Player *p, int64_t written, int64_t hole, int64_t resume, int64_t current, int64_t previous) {
    atomic_fetch_add(&p->sequence, 1);
    atomic_store(&p->written, written);
    atomic_store(&p->hole, hole);
    atomic_store(&p->resume, resume);
    atomic_store(&p->current, current);
    atomic_store(&p->previous, previous);
    atomic_fetch_add(&p->sequence, 1);
}

/* Called by the game: read, continued, missed, hazard. */
EXPORT void subtick_player_state(Player *p, int64_t *state) {
    state[0] = atomic_load(&p->read);
    state[1] = atomic_load(&p->continued);
    state[2] = atomic_load(&p->missed);
    state[3] = atomic_load(&p->hazard);
}

static void look(Player *p) {
    for (int tries = 0; tries < 10000; tries++) {
        int64_t before = atomic_load(&p->sequence);
        if (before & 1) continue;
        int64_t written = atomic_load(&p->written), hole = atomic_load(&p->hole);
        int64_t resume = atomic_load(&p->resume), current = atomic_load(&p->current);
        int64_t previous = atomic_load(&p->previous);
        if (atomic_load(&p->sequence) != before) continue;
        p->seen_written = written;
        p->seen_hole = hole;
        p->seen_resume = resume;
        p->seen_current = current;
        p->seen_previous = previous;
        return;
    }                                /* the game was interrupted while it was writing: use the last values */
}

static int32_t at_most(int32_t count, int32_t most) { return count < 0 ? 0 : count < most ? count : most; }

/* Copy the rows of a table whose memory the game keeps, because `hazard` names it. */
static void take_rows(Player *p, int64_t id) {
    const Table *t = p->slots[id & (SLOTS - 1)];
    p->now = *t;
    p->now.continuing = 1;
    p->now.voice_count = at_most(t->voice_count, MAX_VOICES);
    p->now.group_count = at_most(t->group_count, MAX_GROUPS);
    p->now.effect_count = at_most(t->effect_count, MAX_EFFECTS);
    memcpy(p->voices, (const void *)(uintptr_t)t->voices, sizeof(Voice) * (size_t)p->now.voice_count);
    memcpy(p->groups, (const void *)(uintptr_t)t->groups, sizeof(Group) * (size_t)p->now.group_count);
    memcpy(p->effects, (const void *)(uintptr_t)t->effects, sizeof(Effect) * (size_t)p->now.effect_count);
    p->now.voices = (uint64_t)(uintptr_t)p->voices;
    p->now.groups = (uint64_t)(uintptr_t)p->groups;
    p->now.effects = (uint64_t)(uintptr_t)p->effects;
    for (int32_t i = 0; i < p->now.effect_count; i++) {
        Effect *e = p->effects + i;
        if (!e->line_size) continue;
        memcpy((void *)(uintptr_t)e->line_copy, (const void *)(uintptr_t)e->line, sizeof(float) * (size_t)(effect_rows(e->kind) * e->line_size));
        e->line = e->line_copy;
    }
    p->table_id = id;
}

/* Take the newest table, or the table before it. Return whether there is a table. */
static int take(Player *p, int newest) {
    for (int tries = 0; tries < 10000; tries++) {
        int64_t id = newest ? atomic_load(&p->current) : atomic_load(&p->previous);
        if (id == NO_TABLE) break;
        atomic_store(&p->hazard, id);
        look(p);
        if (id != (newest ? p->seen_current : p->seen_previous)) continue;
        take_rows(p, id);
        return 1;
    }
    atomic_store(&p->hazard, NO_TABLE);
    p->table_id = NO_TABLE;
    return 0;
}

static void leave(Player *p) {
    atomic_store(&p->hazard, NO_TABLE);
    p->table_id = NO_TABLE;
}

/* Mix `count` frames (at most CHUNK) into `block`, beginning at frame `frame`. */
static void continue_voices(Player *p, int64_t frame, int32_t count) {
    int64_t first = p->now.sample + (frame - p->now.frame);
    if (p->now.limited != first) {   /* the limiter needs the samples before `frame` */
        mix_chunk(&p->now, first - PREROLL, PREROLL, p->block[0], p->block[1], p->scratch);
        limit_chunk(&p->now, first - PREROLL, PREROLL, p->block[0], p->block[1]);
    }
    mix_chunk(&p->now, first, count, p->block[0], p->block[1], p->scratch);
    limit_chunk(&p->now, first, count, p->block[0], p->block[1]);
}

/* Store the 5 ms that would have followed at `frame`, so that they can be faded out. */
static void keep_tail(Player *p, int64_t frame) {
    if (p->mode == TABLE) {
        continue_voices(p, frame, SOFT);
    } else {
        for (int32_t i = 0; i < SOFT; i++) {
            p->block[0][i] = p->last[0];
            p->block[1][i] = p->last[1];
        }
    }
    for (int32_t i = 0; i < SOFT; i++) {
        float l = p->block[0][i], r = p->block[1][i];
        if (p->mode == TABLE && p->tail_at + i < SOFT) {   /* the previous tail has not ended yet */
            float share = (float)(p->tail_at + i + 1) * (1.0f / SOFT);
            l = p->tail[p->tail_at + i][0] + (l - p->tail[p->tail_at + i][0]) * share;
            r = p->tail[p->tail_at + i][1] + (r - p->tail[p->tail_at + i][1]) * share;
        }
        p->tail[i][0] = l;           /* after this, index i is read only for later frames */
        p->tail[i][1] = r;
    }
    p->tail_at = 0;
}

/* Write `count` frames, beginning at frame `frame`. `count` may be any number. */
EXPORT void subtick_play(Player *p, float *out, int32_t frames) {
    int64_t r = atomic_load(&p->read);
    look(p);
    while (frames > 0) {
        int in_ring = r < p->seen_written && (r < p->seen_hole || r >= p->seen_resume);
        int32_t count = frames < CHUNK ? frames : CHUNK;
        if (in_ring) {
            int64_t end = r < p->seen_hole ? p->seen_hole : p->seen_written;
            if (end > p->seen_written) end = p->seen_written;
            if (count > end - r) count = (int32_t)(end - r);
            if (p->mode != RING) keep_tail(p, r);
            if (p->mode == TABLE) leave(p);
            p->mode = RING;
            p->went_on = 0;
            for (int32_t i = 0; i < count; i++) {
                int64_t at = (r + i) % p->size;
                p->block[0][i] = p->ring[2 * at];
                p->block[1][i] = p->ring[2 * at + 1];
            }
        } else {
            int wanted = p->seen_current != NO_TABLE && p->went_on < MAX_CONTINUED;
            if (r < p->seen_resume && p->seen_written > p->seen_resume && count > p->seen_resume - r) count = (int32_t)(p->seen_resume - r);
            if (wanted && (p->mode != TABLE || p->table_id != p->seen_current)) {
                if (p->mode == RING) {
                    /* The table that was published with the end of the ring continues the ring seamlessly. */
                    int seamless = take(p, 1) && p->now.frame == r;
                    if (!seamless && take(p, 0) && p->now.frame == r) p->mode = TABLE;
                    if (!seamless) {
                        keep_tail(p, r);
                        wanted = take(p, 1);
                    }
                } else {
                    keep_tail(p, r);
                    wanted = take(p, 1);
                }
                if (wanted) p->mode = TABLE;
                p->went_on = 0;
            } else if (!wanted && p->mode != SILENT) {
                if (p->mode == RING && take(p, 0) && p->now.frame == r) p->mode = TABLE;
                keep_tail(p, r);
            }
            if (wanted) {
                if (count > MAX_CONTINUED - p->went_on) count = (int32_t)(MAX_CONTINUED - p->went_on);
                continue_voices(p, r, count);
                p->went_on += count;
                atomic_fetch_add(&p->continued, count);
            } else {
                if (p->mode == TABLE) leave(p);
                p->mode = SILENT;
                memset(p->block, 0, sizeof(p->block));
                atomic_fetch_add(&p->missed, count);
            }
        }
        for (int32_t i = 0; i < count; i++) {
            float l = p->block[0][i], r_ = p->block[1][i];
            if (p->tail_at < SOFT) {
                float share = (float)(p->tail_at + 1) * (1.0f / SOFT);
                l = p->tail[p->tail_at][0] + (l - p->tail[p->tail_at][0]) * share;
                r_ = p->tail[p->tail_at][1] + (r_ - p->tail[p->tail_at][1]) * share;
                p->tail_at++;
            }
            out[2 * i] = l;
            out[2 * i + 1] = r_;
        }
        p->last[0] = out[2 * (count - 1)];
        p->last[1] = out[2 * (count - 1) + 1];
        out += 2 * count;
        frames -= count;
        r += count;
    }
    atomic_store(&p->read, r);
}

/* The offset of `pUserData` in miniaudio's device, which points to the player. */
static int64_t user_data = -1;

EXPORT void subtick_set_user_data(int64_t offset) { user_data = offset; }

EXPORT void subtick_callback(void *device, void *out, const void *in, uint32_t frames) {
    (void)in;
    Player *p = *(Player **)((char *)device + user_data);
    if (p) subtick_play(p, (float *)out, (int32_t)frames);
}
