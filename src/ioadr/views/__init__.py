"""One geometry for all views of a light field: their maps, the surfaces behind them, and views that were not taken."""
