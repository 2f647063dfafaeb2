"""Error messages for users of other engines: Subtick's names for tile maps and tile layers."""

from __future__ import annotations

from .other_names import other_names, words

tile_layer_names = other_names(
    "layer",
    {
        **words("set_tile set_cell put_tile", "write layer.tiles[row, column] = 1"),
        **words(
            "get_tile get_cell tile_at cell_at get_tile_at",
            "write row, column = layer.world_to_cell((x, y)), and layer.tiles[row, column]",
        ),
        **words("get", "write layer.tiles[row, column]"),
        **words("is_solid is_wall", "write layer.solid[row, column]"),
        **words(
            "get_cell_at local_to_map position_to_cell to_cell", "write layer.world_to_cell((x, y))"
        ),
        **words("map_to_local", "write layer.cell_center((row, column))"),
    },
    settings={
        **words("width height columns rows", "write layer.tiles.shape: rows and columns"),
        **words("map data grid", "write layer.tiles"),
    },
)

tile_map_names = other_names(
    "tile_map",
    {
        **words("layer get_layer", "write level['ground']"),
        **words("get_object find_object", "write level.objects['start']"),
        **words("draw", "write self.add(level) once; the scene then draws the map"),
        **words(
            "load from_file load_map open read", "write level = self.add(fw.TileMap('level.tmx'))"
        ),
    },
    settings={
        **words(
            "layers sprite_lists tilemap_layers", "write level.tile_layers, or level['ground']"
        ),
        **words("object_lists", "write level.objects"),
        **words("width height", "write level.size"),
    },
)
